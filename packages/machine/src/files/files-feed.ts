/**
 * The feed of the files card (W2): publishes changes of open folders and followed files; finds, searches, creates,
 * renames and deletes. File contents go over HTTP (`file-route.ts`).
 */

import { checkPath } from '@tugdeck/local/files/confined';
import {
  type FilesAsk,
  type FilesPush,
  filesAboutSchema,
  filesAskSchema,
  MAX_FOUND,
  type SearchQuery,
} from '@tugdeck/protocol/files/messages';
import { parentOf } from '@tugdeck/protocol/files/paths';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { FeedKind, FeedOut, FeedSession } from '../feeds/feed-kind.ts';
import type { FileService } from './file-service.ts';
import { createEntry, renameEntry } from './move-file.ts';
import { search } from './search/search.ts';

const MAX_FOLDERS = 2_000;
const MAX_FOLLOWED = 500;
const MAX_SEARCHES = 4;

export function filesFeed(files: FileService): FeedKind<{ project: string }, FilesAsk> {
  return {
    name: 'files',
    about: filesAboutSchema,
    ask: filesAskSchema,
    open: ({ project }, out) => new FilesFeedSession(files, project, out),
  };
}

class FilesFeedSession implements FeedSession<FilesAsk> {
  readonly #files: FileService;
  readonly #project: string;
  readonly #out: FeedOut;
  readonly #followed: ReturnType<FileService['follow']>;
  readonly #folders = new Set<string>();
  readonly #paths = new Set<string>();
  readonly #searches = new Map<string, AbortController>();
  /** Changes held back while the page is congested. */
  #deferred: { folders: Set<string>; files: Set<string>; everything: boolean } | undefined;
  #waitingForDrain: (() => void)[] = [];

  constructor(files: FileService, project: string, out: FeedOut) {
    this.#files = files;
    this.#project = project;
    this.#out = out;
    this.#followed = files.follow(
      project,
      {
        changed: (folders, paths) => this.#changed(folders, paths),
        everything: () => this.#everything(),
        watching: (extent) => this.#push({ type: 'watching', extent }),
      },
      ({ path, text, trash }) => this.#push({ type: 'overtaken', path, text, trash }),
    );
  }

  ask(ask: FilesAsk): unknown {
    const root = this.#files.directoryOf(this.#project);
    const { files } = this.#followed;
    switch (ask.do) {
      case 'list':
        return this.#list(ask.folder);
      case 'leave':
        if (this.#folders.delete(ask.folder)) files.leave(ask.folder);
        return null;
      case 'follow':
        return this.#follow(ask.path);
      case 'unfollow':
        if (this.#paths.delete(ask.path)) files.leave(parentOf(ask.path));
        return null;
      case 'find':
        return this.#find(ask.query);
      case 'create':
        return createEntry(root, ask.path, ask.kind);
      case 'rename':
        return renameEntry(root, ask.from, ask.to);
      case 'delete':
        return this.#delete(root, ask.path);
      case 'restore':
        return this.#restore(root, ask.trash, ask.to);
      case 'trash':
        return this.#trash();
      case 'search':
        return this.#search(root, ask.search, ask.query);
      case 'stop':
        this.#searches.get(ask.search)?.abort();
        return null;
    }
  }

  resume(): void {
    const deferred = this.#deferred;
    this.#deferred = undefined;
    if (deferred?.everything) this.#push({ type: 'everything' });
    else if (deferred) this.#changed(deferred.folders, deferred.files);
    for (const go of this.#waitingForDrain.splice(0)) go();
  }

  close(): void {
    for (const stop of this.#searches.values()) stop.abort();
    for (const go of this.#waitingForDrain.splice(0)) go();
    const { files, end } = this.#followed;
    for (const folder of this.#folders) files.leave(folder);
    for (const path of this.#paths) files.leave(parentOf(path));
    end();
  }

  async #list(folder: string): Promise<unknown> {
    checkPath(folder);
    const { files } = this.#followed;
    const isNew = !this.#folders.has(folder);
    if (isNew) {
      if (this.#folders.size >= MAX_FOLDERS) throw new CodedError('TOO_MANY');
      this.#folders.add(folder);
      files.enter(folder);
    }
    try {
      return await files.list(folder);
    } catch (error) {
      if (isNew && this.#folders.delete(folder)) files.leave(folder);
      throw error;
    }
  }

  async #follow(path: string): Promise<null> {
    checkPath(path);
    if (this.#paths.has(path)) return null;
    if (this.#paths.size >= MAX_FOLLOWED) throw new CodedError('TOO_MANY');
    this.#paths.add(path);
    this.#followed.files.enter(parentOf(path));
    return null;
  }

  async #find(query: string): Promise<unknown> {
    return { files: await this.#followed.files.index.find(query, MAX_FOUND, { withFolders: false }) };
  }

  async #delete(root: string, path: string): Promise<unknown> {
    return { trash: await this.#files.trash(this.#project).delete(root, path) };
  }

  async #restore(root: string, id: string, to: string | undefined): Promise<unknown> {
    return { path: await this.#files.trash(this.#project).restore(root, id, to) };
  }

  async #trash(): Promise<unknown> {
    return { entries: (await this.#files.trash(this.#project).list()).slice(0, 200) };
  }

  async #search(root: string, name: string, query: SearchQuery): Promise<unknown> {
    if (this.#searches.has(name))
      throw new CodedError('INVALID_MESSAGE', 'A search with this id is already running.');
    if (this.#searches.size >= MAX_SEARCHES) throw new CodedError('TOO_MANY');
    const stop = new AbortController();
    this.#searches.set(name, stop);
    try {
      const push = async (hits: Extract<FilesPush, { type: 'found' }>['hits']) => {
        this.#push({ type: 'found', search: name, hits: [...hits] });
        if (this.#out.congested) await new Promise<void>((resolve) => this.#waitingForDrain.push(resolve));
      };
      return await search(
        { root, query, signal: stop.signal, emit: (hits) => push([...hits]) },
        this.#followed.files.index,
      );
    } finally {
      this.#searches.delete(name);
    }
  }

  #changed(folders: ReadonlySet<string>, paths: ReadonlySet<string>): void {
    const shown = [...folders].filter((folder) => this.#folders.has(folder));
    const followed = [...paths].filter((path) => this.#paths.has(path));
    if (shown.length + followed.length === 0) return;
    if (!this.#out.congested) {
      this.#push({ type: 'changed', folders: shown, files: followed });
      return;
    }
    this.#deferred ??= { folders: new Set(), files: new Set(), everything: false };
    for (const folder of shown) this.#deferred.folders.add(folder);
    for (const path of followed) this.#deferred.files.add(path);
  }

  #everything(): void {
    if (this.#out.congested) this.#deferred = { folders: new Set(), files: new Set(), everything: true };
    else this.#push({ type: 'everything' });
  }

  #push(push: FilesPush): void {
    this.#out.push(push);
  }
}
