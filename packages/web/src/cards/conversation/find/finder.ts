/**
 * The search of the find bar: matching entries and the current one. Searches loaded entries first and loads older
 * pages backwards only when needed.
 */
import type { Readable } from '@tugdeck/client/store';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import type { Reading } from '../../../features/conversation/reading.ts';
import { cell } from '../../../kit/cell.ts';
import { searchText } from './search-text.ts';

export interface FindState {
  readonly query: string;
  /** Ids of matching loaded entries, oldest first. */
  readonly matches: readonly string[];
  /** The current match. */
  readonly current: string | undefined;
  readonly isLoading: boolean;
  /** Number of searched entries. */
  readonly searched: number;
  /** Whether all entries were searched. */
  readonly isWhole: boolean;
}

export interface Finder {
  readonly state: Readable<FindState>;
  search(query: string): void;
  /** To the previous or next match; before the first one, older pages are loaded. */
  step(direction: 1 | -1): void;
  stop(): void;
}

const NOTHING: FindState = {
  query: '',
  matches: [],
  current: undefined,
  isLoading: false,
  searched: 0,
  isWhole: false,
};

/** Results per entry; entries are replaced, never changed, so a result stays valid. */
export type MatchCache = WeakMap<Entry, boolean>;

export function matchesOf(
  entries: readonly Entry[],
  query: string,
  judged: MatchCache = new WeakMap(),
): string[] {
  const wanted = query.toLowerCase();
  if (wanted === '') return [];
  const holds = (entry: Entry) => {
    const known = judged.get(entry) ?? searchText(entry).toLowerCase().includes(wanted);
    judged.set(entry, known);
    return known;
  };
  return entries.filter(holds).map(({ id }) => id);
}

/** Debounce, because each search reads everything. */
const PAUSE_MS = 120;

export function createFinder(reading: Reading, hasOlder: () => boolean): Finder {
  const state = cell<FindState>(NOTHING);
  let loading = new AbortController();
  let judged: MatchCache = new WeakMap();
  let pause: ReturnType<typeof setTimeout> | undefined;

  const stop = () => {
    clearTimeout(pause);
    loading.abort();
    if (state.get().isLoading) state.set({ ...state.get(), isLoading: false });
  };
  const search = (): readonly string[] => {
    const entries = reading.entries();
    const { query } = state.get();
    const matches = matchesOf(entries, query, judged);
    state.set({ ...state.get(), matches, searched: entries.length, isWhole: !hasOlder() });
    return matches;
  };
  const show = (id: string | undefined) => {
    state.set({ ...state.get(), current: id });
    if (id !== undefined) void reading.jumpTo(id);
  };
  /** Loads pages until there is a match before `before`, the oldest known one. */
  const goBack = async (before: string | undefined) => {
    loading = new AbortController();
    const { signal } = loading;
    state.set({ ...state.get(), isLoading: true });
    const older = () => {
      const matches = state.get().matches;
      return matches[(before === undefined ? matches.length : matches.indexOf(before)) - 1];
    };
    await reading.load(
      () => older() !== undefined,
      signal,
      () => signal.aborted || search(),
    );
    if (signal.aborted) return;
    state.set({ ...state.get(), isLoading: false, isWhole: !hasOlder() });
    const found = older();
    if (found !== undefined) show(found);
    else if (before !== undefined) show(state.get().matches.at(-1));
  };

  return {
    state,
    stop,
    search(query) {
      stop();
      judged = new WeakMap();
      state.set({ ...NOTHING, query });
      reading.setQuery(query);
      if (query === '') return;
      pause = setTimeout(() => {
        const matches = search();
        if (matches.length > 0) show(matches.at(-1));
        else if (hasOlder()) void goBack(undefined);
      }, PAUSE_MS);
    },
    step(direction) {
      if (state.get().query === '') return;
      stop();
      const matches = search();
      const at = matches.indexOf(state.get().current ?? '');
      if (direction === -1 && at <= 0 && hasOlder()) void goBack(matches[0]);
      else if (matches.length > 0) show(matches[(at + direction + matches.length) % matches.length]);
    },
  };
}
