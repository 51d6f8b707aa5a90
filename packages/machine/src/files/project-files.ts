/** One open project's files: the watch, the index it maintains, and the listeners. Changes no file. */
import { lstat } from 'node:fs/promises';
import { openFolder } from '@tugdeck/local/files/confined';
import type { Log } from '@tugdeck/local/log';
import type { FileEntry, Listing } from '@tugdeck/protocol/files/messages';
import { joinPath, parentOf } from '@tugdeck/protocol/files/paths';
import { FileIndex } from './file-index.ts';
import { ignoredOf } from './git-list.ts';
import { isExcluded } from './list-files.ts';
import { listFolder } from './list-folder.ts';
import { type MarkSource, MarkTable } from './marks.ts';
import { type ProjectWatch, type WatchBatch, watchProject } from './watch-project.ts';

export interface FilesListener {
  changed(folders: ReadonlySet<string>, files: ReadonlySet<string>): void;
  everything(): void;
  watching(extent: ProjectWatch['extent']): void;
}

export interface ProjectFilesOptions {
  readonly root: string;
  readonly log: Log;
  readonly marks: MarkSource;
}

/** How long the index stays valid without a watch, so that typing does not walk the tree repeatedly. */
const UNWATCHED_TTL_MS = 4_000;
const IGNORE_RULES = /(?:^|\/)\.gitignore$/;

export class ProjectFiles {
  readonly root: string;
  readonly #index: FileIndex;
  readonly #options: ProjectFilesOptions;
  readonly #listeners = new Set<FilesListener>();
  readonly #openFolders = new Map<string, number>();
  #marks = new MarkTable();
  #unsubscribeMarks: (() => void) | undefined;
  #watch: Promise<ProjectWatch> | undefined;
  #isClosed = false;
  /** Whether the watch covers the whole project. Until then, the index expires. */
  #isFullyWatched = false;
  #readAt = -Infinity;

  constructor(options: ProjectFilesOptions) {
    this.root = options.root;
    this.#options = options;
    this.#index = new FileIndex(options.root);
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Starts the watch if needed. Resolves once changes are reported. */
  async start(): Promise<void> {
    this.#watch ??= this.#startWatch();
    await this.#watch;
  }

  subscribe(listener: FilesListener): () => void {
    this.#listeners.add(listener);
    void this.#watch?.then(({ extent }) => this.#listeners.has(listener) && listener.watching(extent));
    return () => this.#listeners.delete(listener);
  }

  /** Reports changes directly in this folder until `leave` was called as often. */
  enter(folder: string): void {
    this.#openFolders.set(folder, (this.#openFolders.get(folder) ?? 0) + 1);
    if (this.#openFolders.get(folder) !== 1) return;
    this.#watch
      ?.then((watch) => this.#watchOpened(watch, folder))
      .catch((error: unknown) => {
        // Listing the folder reports what is wrong with it.
        this.#options.log.debug('folder not watched', { folder, error });
      });
  }

  leave(folder: string): void {
    const left = (this.#openFolders.get(folder) ?? 1) - 1;
    if (left > 0) {
      this.#openFolders.set(folder, left);
      return;
    }
    this.#openFolders.delete(folder);
    void this.#watch?.then((watch) => watch.shut(folder));
  }

  async list(folder: string): Promise<Listing> {
    this.#unsubscribeMarks ??= this.#options.marks((marks) => this.#setMarks(new MarkTable(marks)));
    const listing = await listFolder(this.root, folder);
    const ignored = await ignoredOf(
      this.root,
      listing.entries.map(({ name }) => joinPath(folder, name)),
    );
    const entries = listing.entries.map((entry): FileEntry => {
      const path = joinPath(folder, entry.name);
      const mark = this.#marks.of(path, entry.kind) ?? (ignored.has(path) ? '!' : undefined);
      return mark ? { ...entry, mark } : entry;
    });
    return { ...listing, entries };
  }

  /** The index, reloaded first if the watch does not keep it current. */
  get index(): FileIndex {
    const now = performance.now();
    if (!this.#isFullyWatched && now - this.#readAt > UNWATCHED_TTL_MS) {
      this.#index.forget();
      this.#readAt = now;
    }
    return this.#index;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribeMarks?.();
    await (await this.#watch)?.close();
  }

  async #startWatch(): Promise<ProjectWatch> {
    const { root, log } = this.#options;
    const watch = await watchProject({ root, log, onBatch: (batch) => this.#handleBatch(batch) });
    for (const folder of this.#openFolders.keys())
      await this.#watchOpened(watch, folder).catch(() => undefined);
    for (const listener of this.#listeners) listener.watching(watch.extent);
    this.#isFullyWatched = watch.extent === 'everything';
    // Changes during the start of the watch were missed.
    this.#index.reload();
    if (this.#openFolders.size > 0) for (const listener of this.#listeners) listener.everything();
    if (this.#isClosed) await watch.close();
    return watch;
  }

  async #watchOpened(watch: ProjectWatch, folder: string): Promise<void> {
    // Watch only folders inside the project, whatever links point to.
    const { path, close } = await openFolder(this.root, folder);
    await close();
    if (path === folder && this.#openFolders.has(folder)) watch.open(folder);
  }

  #handleBatch(batch: WatchBatch | undefined): void {
    if (this.#isClosed) return;
    if (!batch) {
      this.#index.forget();
      for (const listener of this.#listeners) listener.everything();
      return;
    }
    const folders = new Set([...batch.created, ...batch.deleted].map(parentOf));
    const files = new Set([...batch.created, ...batch.changed, ...batch.deleted]);
    for (const listener of this.#listeners) listener.changed(folders, files);
    this.#reindex(batch).catch((error: unknown) => {
      this.#options.log.warn('index', { error });
      this.#index.forget();
    });
  }

  async #reindex({ created, changed, deleted }: WatchBatch): Promise<void> {
    if ([...created, ...changed, ...deleted].some((path) => IGNORE_RULES.test(path))) {
      this.#index.forget();
      return;
    }
    const candidates = created.filter((path) => !isExcluded(path));
    const [kinds, ignored] = await Promise.all([
      Promise.all(candidates.map((path) => kindOf(`${this.root}/${path}`))),
      ignoredOf(this.root, candidates),
    ]);
    const indexed = (kind: 'file' | 'folder') =>
      candidates.filter((path, at) => kinds[at] === kind && !ignored.has(path));
    // A folder was added with contents: the watch did not report what is in it.
    if (indexed('folder').length > 0) {
      this.#index.forget();
      return;
    }
    const added = indexed('file');
    const gone = candidates.filter((_, at) => kinds[at] === undefined);
    await this.#index.change({ created: added, deleted: [...deleted, ...gone] });
  }

  #setMarks(marks: MarkTable): void {
    const folders = this.#marks.foldersDiffering(marks);
    this.#marks = marks;
    if (this.#isClosed || folders.size === 0) return;
    for (const listener of this.#listeners) listener.changed(folders, new Set());
  }
}

async function kindOf(path: string): Promise<'file' | 'folder' | undefined> {
  try {
    const stats = await lstat(path);
    if (stats.isDirectory()) return 'folder';
    return stats.isFile() || stats.isSymbolicLink() ? 'file' : undefined;
  } catch {
    // Already gone.
    return undefined;
  }
}
