/** One search at a time: a new one stops the old one. Hits are grouped by file as they arrive. */
import { newId } from '@tugdeck/client/new-id';
import type { SearchHit, SearchQuery } from '@tugdeck/protocol/files/messages';
import { cell } from '../../kit/cell.ts';
import { faultText } from '../../kit/deck-actions.ts';
import type { FilesArea } from './tree-model.ts';

export interface SearchState {
  readonly hits: readonly SearchHit[];
  readonly isRunning: boolean;
  readonly isCut: boolean;
  readonly fault: string | undefined;
  readonly hasSearched: boolean;
}

const NOTHING: SearchState = {
  hits: [],
  isRunning: false,
  isCut: false,
  fault: undefined,
  hasSearched: false,
};

export class SearchModel {
  readonly state = cell(NOTHING);
  readonly #files: FilesArea;
  readonly #end: () => void;
  #now: string | undefined;

  constructor(files: FilesArea) {
    this.#files = files;
    this.#end = files.onEvent((push) => {
      if (push.type !== 'found' || push.search !== this.#now) return;
      this.#set({ hits: [...this.state.get().hits, ...push.hits] });
    });
  }

  async run(query: SearchQuery): Promise<void> {
    this.stop();
    if (query.text === '') {
      this.state.set(NOTHING);
      return;
    }
    const search = newId();
    this.#now = search;
    this.state.set({ ...NOTHING, isRunning: true, hasSearched: true });
    try {
      const { isCut } = await this.#files.call('search', { search, query });
      if (this.#now === search) this.#set({ isRunning: false, isCut });
    } catch (error) {
      if (this.#now === search) this.#set({ isRunning: false, fault: faultText(error) });
    }
  }

  stop(): void {
    const search = this.#now;
    this.#now = undefined;
    if (search === undefined || !this.state.get().isRunning) return;
    this.#set({ isRunning: false });
    this.#files.call('stop', { search }).catch(() => undefined);
  }

  close(): void {
    this.stop();
    this.#end();
  }

  #set(part: Partial<SearchState>): void {
    this.state.set({ ...this.state.get(), ...part });
  }
}

export interface HitRow {
  readonly key: string;
  readonly path: string;
  readonly hit: SearchHit | undefined;
  /** In a file's row: the number of its hits. */
  readonly count: number;
}

/** Each file followed by its hits, in the order of first hits. */
export function hitRows(hits: readonly SearchHit[]): HitRow[] {
  const byFile = new Map<string, SearchHit[]>();
  for (const hit of hits) {
    const found = byFile.get(hit.path);
    if (found) found.push(hit);
    else byFile.set(hit.path, [hit]);
  }
  return [...byFile].flatMap(([path, found]) => [
    { key: path, path, hit: undefined, count: found.length },
    ...found.map((hit, index) => ({ key: `${path}\n${index}`, path, hit, count: 0 })),
  ]);
}
