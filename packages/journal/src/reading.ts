/**
 * Reads a journal from its tail: opening needs the last one or two segments, a page only the segments it covers (M3,
 * H5). Takes no lock and writes nothing; safe while a writer is active. All functions are cooperative generators;
 * `reader.ts` has the synchronous versions.
 */
import { join } from 'node:path';
import type { Cooperative } from '@tugdeck/local/cooperative';
import type { SessionDirectory } from '@tugdeck/local/data-directory';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom, entryAt } from '@tugdeck/protocol/conversation/entry-store';
import type { Todo } from '@tugdeck/protocol/conversation/session-info';
import { type Conversation, entryById, openSeq } from '@tugdeck/protocol/conversation/state';
import { PAGE, type Page, withPage } from '@tugdeck/protocol/conversation/window';
import { type Load, uncached } from './cache.ts';
import { diskFiles, type SegmentFiles } from './files.ts';
import { firstSeq, HEAD_START, segmentName, segmentNumbers } from './format.ts';
import { foldMentions, foldSegment, type Segment } from './segment.ts';

export interface ReadOptions {
  readonly files?: SegmentFiles;
  /** See `createSegmentCache`. */
  readonly load?: Load;
}
export type Journal = Pick<SessionDirectory, 'journal'>;

/** Reads the window at the end of the journal; `undefined` if nothing was ever written. */
export function* tail(
  { journal }: Journal,
  options: ReadOptions = {},
): Cooperative<Conversation | undefined> {
  const { files, load } = means(options);
  const number = segmentNumbers(files.list(journal)).at(-1);
  if (number === undefined) return undefined;
  return yield* tailOf(yield* load(journal, number), () => load(journal, number - 1), files, journal);
}

/** A segment's state, completed with entries of the previous segment if it holds less than a page. */
export function* tailOf(
  last: Segment,
  previous: () => Cooperative<Segment>,
  files: SegmentFiles,
  journal: string,
): Cooperative<Conversation> {
  const { state } = last;
  if (state.from === 0 || state.nextSeq - state.from >= PAGE) return state;
  if (files.size(join(journal, segmentName(last.number - 1))) === undefined) return state;
  const { first, state: before } = yield* previous();
  if (first >= state.from) return state;
  const entries = [...entriesFrom(before.entries, first)];
  return withPage(state, { v: state.v, from: first, to: last.first, entries });
}

/** Every entry in [from, to) at its newest `rev`, where `to` is at most `before`. */
export function* page(
  { journal }: Journal,
  before: number,
  limit: number,
  options: ReadOptions = {},
): Cooperative<Page> {
  const { files, load } = means(options);
  const numbers = segmentNumbers(files.list(journal));
  const newest = numbers.at(-1);
  if (newest === undefined) return { v: 0, from: 0, to: 0, entries: [] };
  const last = yield* load(journal, newest);
  const to = Math.min(before, last.state.nextSeq);
  const from = Math.max(0, to - limit);
  const found = new Map<number, Entry>();
  function take(segment: Segment, isWanted: (seq: number) => boolean): void {
    for (let seq = from; seq < to; seq++) {
      if (found.has(seq) || !isWanted(seq)) continue;
      const entry = entryAt(segment.state.entries, seq);
      if (entry) found.set(seq, entry);
    }
  }
  take(last, (seq) => seq >= last.first || last.moved.get(seq) === newest);
  const homes = new Set<number>();
  for (let seq = from; seq < to; seq++) {
    const home = last.moved.get(seq);
    if (home !== undefined && home !== newest) homes.add(home);
  }
  for (const home of homes) {
    if (numbers.includes(home)) take(yield* load(journal, home), (seq) => last.moved.get(seq) === home);
  }
  const starts = new Starts(journal, files, load);
  let index = found.size === to - from ? -1 : yield* starts.indexOf(numbers, to - 1);
  while (index >= 0) {
    const number = numbers[index] ?? newest;
    // Reading the newest segment again could give a newer version than the one we return.
    const segment = number === newest ? last : yield* load(journal, number);
    take(segment, () => true);
    if (segment.first <= from) break;
    index -= 1;
  }
  const entries = [...found.values()].sort((a, b) => a.seq - b.seq);
  return { v: last.state.v, from, to, entries };
}

/** The changes after `v`, or `undefined` if they are not all in the last two segments. */
export function* changesAfter(
  { journal }: Journal,
  v: number,
  { files = diskFiles }: ReadOptions = {},
): Cooperative<Change[] | undefined> {
  const newest = segmentNumbers(files.list(journal)).at(-1);
  if (newest === undefined) return v === 0 ? [] : undefined;
  const changes: Change[] = [];
  const collect = (into: Change[]) => (change: Change) => {
    if (change.v > v) into.push(change);
  };
  const last = yield* foldSegment(files, journal, newest, collect(changes));
  if (v > last.state.v) return undefined;
  if (v < last.startV) {
    if (files.size(join(journal, segmentName(newest - 1))) === undefined) return undefined;
    const earlier: Change[] = [];
    const { startV } = yield* foldSegment(files, journal, newest - 1, collect(earlier));
    if (startV > v) return undefined;
    changes.unshift(...earlier);
  }
  const isComplete = changes.every((change, index) => change.v === v + 1 + index);
  return isComplete && changes.length === last.state.v - v ? changes : undefined;
}

/** Finds an entry in any segment. The newest segment that knows it has its newest copy. */
export function* entryOf(
  { journal }: Journal,
  id: string,
  options: ReadOptions = {},
): Cooperative<Entry | undefined> {
  const { files, load } = means(options);
  const name = Buffer.from(JSON.stringify(id));
  for (const number of segmentNumbers(files.list(journal)).reverse()) {
    yield;
    const file = join(journal, segmentName(number));
    if (!files.read(file, 0, files.size(file) ?? 0).includes(name)) continue;
    const entry = entryById((yield* load(journal, number)).state, id);
    if (entry) return entry;
  }
  return undefined;
}

/**
 * Reads one entry, as it was when it was closed: faster than a page, because only lines that mention it are decoded.
 * `undefined` if another entry has this `seq`.
 */
export function* closedEntry(
  { journal }: Journal,
  { seq, id }: { readonly seq: number; readonly id: string },
  options: ReadOptions = {},
): Cooperative<Entry | undefined> {
  const { files, load } = means(options);
  const numbers = segmentNumbers(files.list(journal));
  let found: Entry | undefined;
  const first = numbers.length === 0 ? 0 : yield* new Starts(journal, files, load).indexOf(numbers, seq);
  for (const number of numbers.slice(first)) {
    const { state } = yield* foldMentions(files, journal, number, id);
    const entry = entryAt(state.entries, seq);
    if (entry?.id !== id) break;
    found = entry;
    if (openSeq(state, id) === undefined) break;
  }
  return found;
}

/**
 * The to-dos before a change: the first one after the entry `seq` was opened, or with it, for which `isEnd` is true.
 * `undefined` if there is none.
 */
export function* todosBefore(
  { journal }: Journal,
  { seq, isEnd }: { readonly seq: number; readonly isEnd: (change: Change) => boolean },
  options: ReadOptions = {},
): Cooperative<readonly Todo[] | undefined> {
  const { files, load } = means(options);
  const numbers = segmentNumbers(files.list(journal));
  const index = numbers.length === 0 ? 0 : yield* new Starts(journal, files, load).indexOf(numbers, seq);
  const previous = numbers[index - 1];
  let todos = previous === undefined ? [] : (yield* load(journal, previous)).state.todos;
  for (const number of numbers.slice(index)) {
    let isOver = false;
    yield* foldSegment(files, journal, number, (change) => {
      isOver ||= isEnd(change);
      if (!isOver && change.kind === 'todos.replaced') todos = change.todos;
    });
    if (isOver) return todos;
  }
  return undefined;
}

/** First `seq` of each segment, read from the start of its head. */
class Starts {
  readonly #journal: string;
  readonly #files: SegmentFiles;
  readonly #load: Load;

  constructor(journal: string, files: SegmentFiles, load: Load) {
    this.#journal = journal;
    this.#files = files;
    this.#load = load;
  }

  /** Index of the segment in which `seq` was opened. */
  *indexOf(numbers: readonly number[], seq: number): Cooperative<number> {
    let low = 0;
    let high = numbers.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((yield* this.#first(numbers[middle] ?? 0)) <= seq) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  *#first(number: number): Cooperative<number> {
    const start = this.#files.read(join(this.#journal, segmentName(number)), 0, HEAD_START);
    return firstSeq(start.toString('latin1')) ?? (yield* this.#load(this.#journal, number)).first;
  }
}

function means({ files = diskFiles, load = uncached(files) }: ReadOptions): {
  files: SegmentFiles;
  load: Load;
} {
  return { files, load };
}
