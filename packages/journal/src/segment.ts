/**
 * Folds one segment by itself: its head has the state before it, its lines have the changes. Only complete lines
 * count, because a writer may be in the middle of one. Damaged lines are reported and skipped. If the head is
 * damaged, the end of the previous segment replaces it. Never writes.
 */
import { join } from 'node:path';
import { type Cooperative, runToEnd } from '@tugdeck/local/cooperative';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { classifyChange, fold, foldAll, foldAppend } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY, openEntries } from '@tugdeck/protocol/conversation/state';
import { fromSnapshot, withPage } from '@tugdeck/protocol/conversation/window';
import type { SegmentFiles } from './files.ts';
import { type Batch, decodeBody, decodeHead, segmentName } from './format.ts';

export interface BadLine {
  readonly offset: number;
  readonly text: string;
}

export interface Segment {
  readonly number: number;
  /** The first `seq` opened in this segment, and the version before its first change. */
  readonly first: number;
  readonly startV: number;
  readonly state: Conversation;
  /** `seq` → newest segment, as of the end of this one. */
  readonly moved: ReadonlyMap<number, number>;
  readonly isHeadBroken: boolean;
  /** Complete lines that could not be decoded. */
  readonly bad: readonly BadLine[];
  /** Versions are missing because a damaged line was skipped. */
  readonly hasGap: boolean;
  /** Length of all complete lines; anything after is torn or still being written. */
  readonly whole: number;
}

export type Visit = (change: Change) => void;

export function* foldSegment(
  files: SegmentFiles,
  directory: string,
  number: number,
  visit?: Visit,
): Cooperative<Segment> {
  const file = join(directory, segmentName(number));
  const bytes = files.read(file, 0, files.size(file) ?? 0);
  const end = bytes.indexOf(0x0a);
  const head = end < 0 ? undefined : decodeHead(bytes.toString('utf8', 0, end));
  // Also detects a torn head of a newer format.
  if (end < 0) decodeHead(bytes.toString('utf8'));
  if (head) {
    const state = fromSnapshot(head.snapshot);
    const { moved } = head;
    const start = begin(number, state, moved, false, end + 1);
    return yield* foldLines(start, bytes.subarray(end + 1), visit);
  }
  const start = yield* startFromPrevious(files, directory, number);
  return yield* foldLines(start, bytes, visit);
}

/** Folds only the lines that mention an entry, which takes a fraction of the time; other entries are incomplete. */
export function* foldMentions(
  files: SegmentFiles,
  directory: string,
  number: number,
  entry: string,
): Cooperative<Segment> {
  const file = join(directory, segmentName(number));
  const bytes = files.read(file, 0, files.size(file) ?? 0);
  const name = Buffer.from(JSON.stringify(entry));
  const end = bytes.indexOf(0x0a);
  const lines: Buffer[] = [];
  let next = 0;
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, next)) {
    // The entry was open at the end of the previous segment.
    if (at < end) return yield* foldSegment(files, directory, number);
    next = bytes.indexOf(0x0a, at) + 1;
    if (next === 0) break;
    lines.push(bytes.subarray(bytes.lastIndexOf(0x0a, at) + 1, next));
  }
  return yield* foldLines(begin(number, EMPTY, new Map(), false, 0), Buffer.concat(lines));
}

export function readSegment(files: SegmentFiles, directory: string, number: number): Segment {
  return runToEnd(foldSegment(files, directory, number));
}

/** Continues where an earlier read of the same file ended. */
export function* continueSegment(
  files: SegmentFiles,
  directory: string,
  segment: Segment,
): Cooperative<Segment> {
  const file = join(directory, segmentName(segment.number));
  const size = files.size(file) ?? 0;
  if (size <= segment.whole) return segment;
  return yield* foldLines(segment, files.read(file, segment.whole, size - segment.whole));
}

function begin(
  number: number,
  state: Conversation,
  moved: ReadonlyMap<number, number>,
  isHeadBroken: boolean,
  whole: number,
): Segment {
  const { nextSeq: first, v: startV } = state;
  return { number, first, startV, state, moved, isHeadBroken, bad: [], hasGap: false, whole };
}

function* startFromPrevious(files: SegmentFiles, directory: string, number: number): Cooperative<Segment> {
  const isThere = number > 1 && files.size(join(directory, segmentName(number - 1))) !== undefined;
  if (!isThere) return begin(number, EMPTY, new Map(), true, 0);
  const { state, moved } = yield* foldSegment(files, directory, number - 1);
  return begin(number, state, carried(state, moved, number), true, 0);
}

/** The map of moved entries, with every open entry moved into segment `number`. */
export function carried(
  state: Conversation,
  moved: ReadonlyMap<number, number>,
  number: number,
): ReadonlyMap<number, number> {
  return new Map([...moved, ...openEntries(state).map(({ seq }) => [seq, number] as const)]);
}

function* foldLines(segment: Segment, bytes: Buffer, visit?: Visit): Cooperative<Segment> {
  let { state, hasGap } = segment;
  const moved = new Map(segment.moved);
  const bad = [...segment.bad];
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
    const text = bytes.toString('utf8', start, end);
    const line = decodeBody(text);
    if (!line) {
      if (text.trim() !== '') bad.push({ offset: segment.whole + start, text });
    } else if ('appends' in line) {
      for (const append of line.appends) state = foldAppend(state, append);
    } else {
      const { batch } = line;
      hasGap ||= batch.changes.some(
        (change, index) => index === 0 && classifyChange(state, change) === 'gap',
      );
      for (const { seq } of statedEntries(batch)) moved.set(seq, segment.number);
      state = foldBatch(state, batch);
      if (visit) batch.changes.forEach(visit);
    }
    start = end + 1;
    yield;
  }
  return { ...segment, state, hasGap, moved, bad, whole: segment.whole + start };
}

/** Entries that a batch contains in full; their newest copy is then in its segment. */
export function statedEntries({ changes, entries }: Batch): Entry[] {
  const restated = changes.flatMap((change) => (change.kind === 'entry.restated' ? [change.entry] : []));
  return [...entries, ...restated];
}

function foldBatch(before: Conversation, { changes, nextSeq, entries }: Batch): Conversation {
  let state = before;
  for (const entry of entries) {
    state = withPage(state, { v: state.v, from: entry.seq, to: entry.seq + 1, entries: [entry] });
  }
  const [first] = changes;
  if (!first || classifyChange(state, first) !== 'gap') return foldAll(state, changes);
  // A damaged line lost some versions. Later changes still count, at the `seq` that the host assigned.
  state = { ...state, v: first.v - 1 };
  const opened = changes.reduce(fold, state).nextSeq - state.nextSeq;
  return foldAll({ ...state, nextSeq: Math.max(state.nextSeq, nextSeq - opened) }, changes);
}
