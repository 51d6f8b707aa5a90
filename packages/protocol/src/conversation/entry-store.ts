/**
 * Entries by `seq` in frozen chunks: a change copies one chunk, so a delta costs the same at 100 and at
 * 100,000 entries. Holes are entries that are not loaded (state is a window, M3). Used by the fold only;
 * readers go through the query functions.
 */
import type { Entry } from './entries.ts';

export const CHUNK = 128;

type Chunk = readonly (Entry | undefined)[];
export type EntryStore = readonly (Chunk | undefined)[];

export const NO_ENTRIES: EntryStore = [];

export function entryAt(store: EntryStore, seq: number): Entry | undefined {
  return store[Math.floor(seq / CHUNK)]?.[seq % CHUNK];
}

export function withEntry(store: EntryStore, entry: Entry): EntryStore {
  const index = Math.floor(entry.seq / CHUNK);
  const chunk = store[index]?.slice() ?? [];
  chunk[entry.seq % CHUNK] = entry;
  const copy = store.slice();
  // No gaps: a sparse array is copied twenty times slower.
  while (copy.length < index) copy.push(undefined);
  copy[index] = chunk;
  return copy;
}

/** Newest first: late changes mostly concern recent entries. */
export function findEntry(store: EntryStore, id: string): Entry | undefined {
  for (let index = store.length - 1; index >= 0; index--) {
    const chunk = store[index];
    if (!chunk) continue;
    for (let at = chunk.length - 1; at >= 0; at--) {
      if (chunk[at]?.id === id) return chunk[at];
    }
  }
  return undefined;
}

/** All loaded entries in order, from `from` on. */
export function* entriesFrom(store: EntryStore, from = 0): Generator<Entry> {
  for (let index = Math.floor(from / CHUNK); index < store.length; index++) {
    for (const entry of store[index] ?? []) {
      if (entry && entry.seq >= from) yield entry;
    }
  }
}

/** Forgets every entry below `from`. */
export function cutBefore(store: EntryStore, from: number): EntryStore {
  const first = Math.floor(from / CHUNK);
  return store.map((chunk, index) => {
    if (index !== first) return index < first ? undefined : chunk;
    return chunk?.map((entry) => (entry && entry.seq < from ? undefined : entry));
  });
}

/** Forgets whole chunks below `from`, except those that hold an entry of `keep`. */
export function withoutBefore(store: EntryStore, from: number, keep: readonly number[]): EntryStore {
  const kept = new Set(keep.map((seq) => Math.floor(seq / CHUNK)));
  const first = Math.floor(from / CHUNK);
  return store.map((chunk, index) => (index >= first || kept.has(index) ? chunk : undefined));
}
