/**
 * Serves the files area (W2): publishes changes of open folders and followed files; finds, searches, creates,
 * renames and deletes. File contents go over HTTP (`file-route.ts`).
 */

import { checkPath } from '@tugdeck/local/files/confined';
import type { CallOutput } from '@tugdeck/protocol/areas/area';
import { files as filesArea } from '@tugdeck/protocol/areas/files';
import { type Listing, MAX_FOUND, type SearchHit, type SearchQuery } from '@tugdeck/protocol/files/messages';
import { parentOf } from '@tugdeck/protocol/files/paths';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type AreaOut, type AreaSession, type ServedArea, serveArea } from '../areas/serve-area.ts';
import type { FileService } from './file-service.ts';
import { createEntry, renameEntry } from './move-file.ts';
import { search } from './search/search.ts';

const MAX_FOLDERS = 2_000;
const MAX_FOLLOWED = 500;
const MAX_SEARCHES = 4;

export function serveFiles(files: FileService): ServedArea {
  return serveArea(filesArea, ({ project }, out) => new FilesSession(files, project, out));
}

class FilesSession implements AreaSession<typeof filesArea> {
  readonly #files: FileService;
  readonly #project: string;
  readonly #out: AreaOut<typeof filesArea>;
  readonly #followed: ReturnType<FileService['follow']>;
  readonly #folders = new Set<string>();
  readonly #paths = new Set<string>();
  readonly #searches = new Map<string, AbortController>();
  /** Changes held back while the page is congested. */
  #deferred: { folders: Set<string>; files: Set<string>; everything: boolean } | undefined;
  #waitingForDrain: (() => void)[] = [];

  constructor(files: FileService, project: string, out: AreaOut<typeof filesArea>) {
    this.#files = files;
    this.#project = project;
    this.#out = out;
    this.#followed = files.follow(
      project,
      {
        changed: (folders, paths) => this.#changed(folders, paths),
        everything: () => this.#everything(),
        watching: (extent) => this.#out.emit({ type: 'watching', extent }),
      },
      ({ path, text, trash }) => this.#out.emit({ type: 'overtaken', path, text, trash }),
    );
  }

  readonly calls: AreaSession<typeof filesArea>['calls'] = {
    list: ({ folder }) => this.#list(folder),
    leave: ({ folder }) => {
      if (this.#folders.delete(folder)) this.#followed.files.leave(folder);
    },
    follow: ({ path }) => this.#follow(path),
    unfollow: ({ path }) => {
      if (this.#paths.delete(path)) this.#followed.files.leave(parentOf(path));
    },
    find: async ({ query }) => ({
      files: await this.#followed.files.index.find(query, MAX_FOUND, { withFolders: false }),
    }),
    create: ({ path, kind }) => createEntry(this.#root, path, kind),
    rename: ({ from, to }) => renameEntry(this.#root, from, to),
    delete: async ({ path }) => ({ trash: await this.#trash.delete(this.#root, path) }),
    restore: async ({ trash, to }) => ({ path: await this.#trash.restore(this.#root, trash, to) }),
    trash: async () => ({ entries: (await this.#trash.list()).slice(0, 200) }),
    search: ({ search, query }) => this.#search(search, query),
    stop: ({ search }) => this.#searches.get(search)?.abort(),
  };

  get #root(): string {
    return this.#files.directoryOf(this.#project);
  }

  get #trash() {
    return this.#files.trash(this.#project);
  }

  resume(): void {
    const deferred = this.#deferred;
    this.#deferred = undefined;
    if (deferred?.everything) this.#out.emit({ type: 'everything' });
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

  async #list(folder: string): Promise<Listing> {
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

  async #follow(path: string): Promise<void> {
    checkPath(path);
    if (this.#paths.has(path)) return;
    if (this.#paths.size >= MAX_FOLLOWED) throw new CodedError('TOO_MANY');
    this.#paths.add(path);
    this.#followed.files.enter(parentOf(path));
  }

  async #search(name: string, query: SearchQuery): Promise<CallOutput<typeof filesArea, 'search'>> {
    const root = this.#root;
    if (this.#searches.has(name))
      throw new CodedError('INVALID_MESSAGE', 'A search with this id is already running.');
    if (this.#searches.size >= MAX_SEARCHES) throw new CodedError('TOO_MANY');
    const stop = new AbortController();
    this.#searches.set(name, stop);
    try {
      const push = async (hits: readonly SearchHit[]) => {
        this.#out.emit({ type: 'found', search: name, hits: [...hits] });
        if (this.#out.congested) await new Promise<void>((resolve) => this.#waitingForDrain.push(resolve));
      };
      return await search({ root, query, signal: stop.signal, emit: push }, this.#followed.files.index);
    } finally {
      this.#searches.delete(name);
    }
  }

  #changed(folders: ReadonlySet<string>, paths: ReadonlySet<string>): void {
    const shown = [...folders].filter((folder) => this.#folders.has(folder));
    const followed = [...paths].filter((path) => this.#paths.has(path));
    if (shown.length + followed.length === 0) return;
    if (!this.#out.congested) {
      this.#out.emit({ type: 'changed', folders: shown, files: followed });
      return;
    }
    this.#deferred ??= { folders: new Set(), files: new Set(), everything: false };
    for (const folder of shown) this.#deferred.folders.add(folder);
    for (const path of followed) this.#deferred.files.add(path);
  }

  #everything(): void {
    if (this.#out.congested) this.#deferred = { folders: new Set(), files: new Set(), everything: true };
    else this.#out.emit({ type: 'everything' });
  }
}
