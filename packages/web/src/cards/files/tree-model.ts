/**
 * The file tree of one project: expanded folders (persisted), their listings and the selection. On a push, changed
 * folders are read again; only the newest reply is used.
 */
import type { AreaChannel } from '@tugdeck/client/areas';
import type { files } from '@tugdeck/protocol/areas/files';
import type { Listing } from '@tugdeck/protocol/files/messages';
import { isWithin, parentOf } from '@tugdeck/protocol/files/paths';
import { cell } from '../../kit/cell.ts';
import { faultText } from '../../kit/deck-actions.ts';
import { persisted, stringList } from '../../kit/persisted.ts';

export type FilesArea = AreaChannel<typeof files>;

export interface TreeState {
  readonly listings: ReadonlyMap<string, Listing>;
  readonly opened: ReadonlySet<string>;
  readonly chosen: string | undefined;
  /** Why the project cannot be shown. */
  readonly fault: string | undefined;
  /** The system has too few file watches for all folders. */
  readonly isPartlyWatched: boolean;
}

const MAX_KEPT = 200;

export class TreeModel {
  readonly state = cell<TreeState>({
    listings: new Map(),
    opened: new Set(),
    chosen: undefined,
    fault: undefined,
    isPartlyWatched: false,
  });
  readonly #files: FilesArea;
  readonly #memory: ReturnType<typeof persisted<readonly string[]>>;
  readonly #requested = new Map<string, number>();
  #count = 0;

  constructor(files: FilesArea) {
    this.#files = files;
    this.#memory = persisted<readonly string[]>(`tree.${files.about.project}`, stringList);
    this.state.set({ ...this.state.get(), opened: new Set(this.#memory.get() ?? []) });
    files.onOpen(() => this.#everything());
    files.onEvent((push) => {
      if (push.type === 'changed') for (const folder of push.folders) void this.#list(folder);
      else if (push.type === 'everything') this.#everything();
      else if (push.type === 'watching') {
        this.state.set({ ...this.state.get(), isPartlyWatched: push.extent !== 'everything' });
      }
    });
    this.#everything();
  }

  choose(path: string | undefined): void {
    this.state.set({ ...this.state.get(), chosen: path });
  }

  unfold(path: string): void {
    const { opened } = this.state.get();
    if (opened.has(path)) return;
    this.#setOpened(new Set([...opened, path]));
    void this.#list(path);
  }

  fold(path: string): void {
    const { opened, chosen, listings } = this.state.get();
    this.#setOpened(new Set([...opened].filter((folder) => folder !== path)));
    if (chosen !== undefined && chosen !== path && isWithin(path, chosen)) this.choose(path);
    // No longer watched; it is read again when expanded.
    const gone = [...listings.keys()].filter((folder) => folder !== '' && isWithin(path, folder));
    for (const folder of gone) this.#leave(folder);
  }

  foldAll(): void {
    for (const folder of [...this.state.get().opened]) this.fold(folder);
  }

  /** Expands the parent folders and selects the path. */
  async reveal(path: string): Promise<void> {
    const way: string[] = [];
    for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) way.unshift(folder);
    for (const folder of way) {
      this.unfold(folder);
      if (!this.state.get().listings.has(folder)) await this.#list(folder);
    }
    this.choose(path);
  }

  /** Also closes the area. */
  close(): void {
    for (const folder of this.state.get().listings.keys()) this.#leave(folder);
    this.#files.close();
  }

  #setOpened(opened: ReadonlySet<string>): void {
    this.state.set({ ...this.state.get(), opened });
    this.#memory.set([...opened].slice(-MAX_KEPT));
  }

  #everything(): void {
    const { opened } = this.state.get();
    void this.#list('');
    for (const folder of opened) {
      const isShown = ancestors(folder).every((one) => opened.has(one));
      if (isShown) void this.#list(folder);
    }
  }

  #leave(folder: string): void {
    this.#requested.delete(folder);
    const listings = new Map(this.state.get().listings);
    if (listings.delete(folder)) this.state.set({ ...this.state.get(), listings });
    this.#files.call('leave', { folder }).catch(() => undefined);
  }

  async #list(folder: string): Promise<void> {
    const { opened } = this.state.get();
    if (folder !== '' && !opened.has(folder)) return;
    this.#count += 1;
    const requested = this.#count;
    this.#requested.set(folder, requested);
    try {
      const listing = await this.#files.call('list', { folder });
      if (this.#requested.get(folder) !== requested) return;
      const listings = new Map(this.state.get().listings).set(folder, listing);
      this.state.set({ ...this.state.get(), listings, fault: undefined });
      // Subfolders that were expanded before.
      for (const { name, kind } of listing.entries) {
        const path = folder === '' ? name : `${folder}/${name}`;
        if (kind === 'folder' && this.state.get().opened.has(path) && !this.#requested.has(path))
          void this.#list(path);
      }
    } catch (error) {
      if (this.#requested.get(folder) !== requested) return;
      this.#requested.delete(folder);
      const code = (error as { code?: string }).code;
      if (folder === '' && code !== 'CONNECTION_LOST' && code !== 'DISPOSED') {
        this.state.set({ ...this.state.get(), fault: faultText(error) });
      } else if (code === 'FILE_NOT_FOUND' || code === 'NOT_A_FOLDER' || code === 'PATH_OUTSIDE') {
        this.#setOpened(new Set([...this.state.get().opened].filter((one) => !isWithin(folder, one))));
      }
    }
  }
}

function ancestors(path: string): string[] {
  const found: string[] = [];
  for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) found.push(folder);
  return found;
}
