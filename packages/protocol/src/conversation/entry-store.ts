/**
 * Entries by `seq` in frozen chunks, chunks in blocks. A change copies one of each, so it costs the same at 100 and
 * at 100,000 entries. Missing entries are not loaded (state is a window, M3). Written only by the fold; read through
 * the query functions.
 */
import type { Entry } from './entries.ts';

export const CHUNK = 64;
/** Chunks per block. */
const BLOCK = 64;

type Some<T> = readonly (T | undefined)[];
type Chunk = Some<Entry>;
type Block = Some<Chunk>;
export type EntryStore = Some<Block>;

export const NO_ENTRIES: EntryStore = [];

export function entryAt(store: EntryStore, seq: number): Entry | undefined {
  return chunkAt(store, Math.floor(seq / CHUNK))?.[seq % CHUNK];
}

export function withEntry(store: EntryStore, entry: Entry): EntryStore {
  const index = Math.floor(entry.seq / CHUNK);
  const place = Math.floor(index / BLOCK);
  const chunk = put(chunkAt(store, index), entry.seq % CHUNK, entry);
  return put(store, place, put(store[place], index % BLOCK, chunk));
}

/** Newest first, because late changes mostly concern recent entries. */
export function findEntry(store: EntryStore, id: string): Entry | undefined {
  for (let index = chunksOf(store) - 1; index >= 0; index--) {
    const chunk = chunkAt(store, index);
    if (!chunk) continue;
    for (let at = chunk.length - 1; at >= 0; at--) {
      if (chunk[at]?.id === id) return chunk[at];
    }
  }
  return undefined;
}

/** All loaded entries in order, starting at `from`. */
export function* entriesFrom(store: EntryStore, from = 0): Generator<Entry> {
  for (let index = Math.floor(from / CHUNK); index < chunksOf(store); index++) {
    for (const entry of chunkAt(store, index) ?? []) {
      if (entry && entry.seq >= from) yield entry;
    }
  }
}

/** Drops every entry below `from`. */
export function dropBefore(store: EntryStore, from: number): EntryStore {
  const first = Math.floor(from / CHUNK);
  return mapChunks(store, (chunk, index) => {
    if (index !== first) return index < first ? undefined : chunk;
    return chunk?.map((entry) => (entry && entry.seq < from ? undefined : entry));
  });
}

/** Drops whole chunks below `from`, except those that contain an entry of `keep`. */
export function dropChunksBefore(store: EntryStore, from: number, keep: readonly number[]): EntryStore {
  const kept = new Set(keep.map((seq) => Math.floor(seq / CHUNK)));
  const first = Math.floor(from / CHUNK);
  return mapChunks(store, (chunk, index) => (index >= first || kept.has(index) ? chunk : undefined));
}

/** One position of the store, before and after; at least one is defined. */
export interface Difference {
  readonly was: Entry | undefined;
  readonly now: Entry | undefined;
}

/** Differences between two stores of one conversation. Shared parts are skipped. */
export function differencesOf(before: EntryStore, after: EntryStore): Difference[] {
  const differences: Difference[] = [];
  forEachDifference(before, after, (oldBlock = [], newBlock = []) =>
    forEachDifference(oldBlock, newBlock, (oldChunk = [], newChunk = []) =>
      forEachDifference(oldChunk, newChunk, (was, now) => differences.push({ was, now })),
    ),
  );
  return differences;
}

function forEachDifference<T>(
  before: Some<T>,
  after: Some<T>,
  visit: (was: T | undefined, now: T | undefined) => void,
): void {
  for (let at = 0; at < Math.max(before.length, after.length); at++) {
    if (before[at] !== after[at]) visit(before[at], after[at]);
  }
}

function chunkAt(store: EntryStore, index: number): Chunk | undefined {
  return store[Math.floor(index / BLOCK)]?.[index % BLOCK];
}

function chunksOf(store: EntryStore): number {
  return (store.length - 1) * BLOCK + (store.at(-1)?.length ?? 0);
}

function mapChunks(
  store: EntryStore,
  change: (chunk: Chunk | undefined, index: number) => Chunk | undefined,
): EntryStore {
  return store.map((block, place) => block?.map((chunk, at) => change(chunk, place * BLOCK + at)));
}

/** A copy with one element changed. Filled up without gaps, because sparse arrays copy twenty times slower. */
function put<T>(list: Some<T> | undefined, at: number, value: T): (T | undefined)[] {
  const copy = list?.slice() ?? [];
  while (copy.length < at) copy.push(undefined);
  copy[at] = value;
  return copy;
}
