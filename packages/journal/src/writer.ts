/**
 * The only writer of a session's journal; used by the session host. Opening takes the lock, folds the tail and
 * quarantines damaged lines. From then on the kernel has every batch, as one line, before `append` returns (H5). A
 * segment never changes after the next one has started, and nothing is deleted.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd } from '@tugdeck/local/cooperative';
import { makePrivate, type SessionDirectory } from '@tugdeck/local/data-directory';
import { type Lock, type LockOptions, takeLock } from '@tugdeck/local/lock';
import type { Append, Change } from '@tugdeck/protocol/conversation/changes';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { foldAppend } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY, entryById, openSeq } from '@tugdeck/protocol/conversation/state';
import { touches } from '@tugdeck/protocol/conversation/touches';
import { takeSnapshot } from '@tugdeck/protocol/conversation/window';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { diskFiles, type SegmentFiles } from './files.ts';
import {
  type Batch,
  encodeAppends,
  encodeBatch,
  encodeHead,
  SEGMENT_BYTES,
  segmentName,
  segmentNumbers,
} from './format.ts';
import { tailOf } from './reading.ts';
import { type BadLine, carried, foldSegment, readSegment, type Segment, statedEntries } from './segment.ts';
import { createSegmentFile, SegmentFile } from './segment-file.ts';

export interface OpenOptions {
  /** Maximum size of a segment; a single larger line or head is still written. */
  readonly segmentBytes?: number;
  readonly now: () => number;
  readonly files?: SegmentFiles;
  readonly lock?: LockOptions;
}

export interface JournalWriter {
  /** Writes one atomic line; the kernel has it when this returns. `after` is the state with the changes applied. */
  append(changes: readonly Change[], after: Conversation): void;
  /** Writes new streamed text, without a version. */
  checkpoint(appends: readonly Append[]): void;
  /** Blocks until everything is on disk. */
  sync(): void;
  close(): void;
}

/**
 * Throws SESSION_LOCKED while another process writes, and DATA_NEWER for a newer format. The writer also throws
 * SESSION_LOCKED, and writes nothing, after losing its lock to another process (N2).
 */
export function openJournal(
  { journal, lock, root }: SessionDirectory,
  { segmentBytes = SEGMENT_BYTES, now, files = diskFiles, lock: options }: OpenOptions,
): { state: Conversation; writer: JournalWriter } {
  makePrivate(root);
  makePrivate(journal);
  const held = takeLock(lock, options);
  try {
    const number = segmentNumbers(files.list(journal)).at(-1);
    const recovered = number === undefined ? undefined : recover(files, journal, number, now);
    const writer = new Writer(journal, segmentBytes, recovered, held);
    return { state: writer.state, writer };
  } catch (error) {
    held.release();
    throw error;
  }
}

interface Recovered {
  readonly segment: Segment;
  /** `segment.state`, completed with the previous segment's entries if it holds less than a page. */
  readonly state: Conversation;
}

function recover(files: SegmentFiles, journal: string, number: number, now: () => number): Recovered {
  const segment = readSegment(files, journal, number);
  const state = runToEnd(tailOf(segment, () => foldSegment(files, journal, number - 1), files, journal));
  const file = join(journal, segmentName(number));
  const length = (files.size(file) ?? 0) - segment.whole;
  const torn =
    length > 0 ? [{ offset: segment.whole, text: files.read(file, segment.whole, length).toString() }] : [];
  quarantine(journal, number, [...segment.bad, ...torn], now());
  return { segment, state };
}

/** Keeps damaged lines, with their position, in `bad.jsonl` for diagnosis. */
function quarantine(journal: string, segment: number, lines: readonly BadLine[], at: number): void {
  const text = lines.map((line) => `${JSON.stringify({ at, segment, ...line })}\n`).join('');
  if (text !== '') appendFileSync(join(journal, 'bad.jsonl'), text, { mode: 0o600 });
}

class Writer implements JournalWriter {
  readonly #journal: string;
  readonly #segmentBytes: number;
  readonly #lock: Lock;
  #state: Conversation;
  #number: number;
  #first: number;
  #moved: Map<number, number>;
  #file: SegmentFile;
  #headBytes = 0;
  /** File size at the last failed attempt to start the next segment. */
  #triedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(journal: string, segmentBytes: number, recovered: Recovered | undefined, lock: Lock) {
    this.#journal = journal;
    this.#segmentBytes = segmentBytes;
    this.#lock = lock;
    this.#state = recovered?.state ?? EMPTY;
    this.#moved = new Map(recovered?.segment.moved);
    const segment = recovered?.segment;
    this.#number = segment?.number ?? 0;
    this.#first = segment?.first ?? 0;
    if (segment) this.#file = new SegmentFile(join(journal, segmentName(segment.number)), segment.whole);
    else this.#file = this.#begin();
    // A damaged segment is left unchanged; new lines go to a fresh segment that can be folded by itself.
    if (segment && (segment.isHeadBroken || segment.hasGap || segment.bad.length > 0)) this.#rotate();
  }

  get state(): Conversation {
    return this.#state;
  }

  append(changes: readonly Change[], after: Conversation): void {
    if (changes.length === 0) return;
    const entries = this.#olderEntries(changes);
    const batch: Batch = { changes, nextSeq: after.nextSeq, entries };
    this.#checkLock();
    this.#file.write(encodeBatch(batch));
    for (const { seq } of statedEntries(batch)) this.#moved.set(seq, this.#number);
    this.#state = after;
    this.#rotateWhenFull();
  }

  checkpoint(appends: readonly Append[]): void {
    if (appends.length === 0) return;
    this.#checkLock();
    this.#file.write(encodeAppends(coalesced(appends)));
    for (const append of appends) this.#state = foldAppend(this.#state, append);
    this.#rotateWhenFull();
  }

  sync(): void {
    this.#file.sync();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#file.close();
    this.#lock.release();
  }

  /**
   * Entries that the changes modify and whose newest copy is in an older segment, so that this segment can be folded
   * by itself.
   */
  #olderEntries(changes: readonly Change[]): Entry[] {
    const older = new Map<number, Entry>();
    const stated = new Set<string>();
    for (const change of changes) {
      const touched = touches(change);
      for (const id of touched.stated) stated.add(id);
      for (const id of touched.modified) {
        if (stated.has(id) || openSeq(this.#state, id) !== undefined) continue;
        const entry = entryById(this.#state, id);
        if (entry && !this.#isHere(entry.seq)) older.set(entry.seq, entry);
      }
    }
    return [...older.values()];
  }

  #isHere(seq: number): boolean {
    return seq >= this.#first || this.#moved.get(seq) === this.#number;
  }

  #rotateWhenFull(): void {
    // Leaves room for one more typical line, and avoids writing a large head for every line.
    const bound = Math.max(this.#segmentBytes * (15 / 16), this.#headBytes * 2);
    if (this.#file.size < Math.max(bound, this.#triedAt + this.#segmentBytes / 16)) return;
    try {
      this.#rotate();
      this.#triedAt = Number.NEGATIVE_INFINITY;
    } catch {
      // The write itself succeeded. A larger segment does no harm; the rotation is retried later.
      this.#triedAt = this.#file.size;
    }
  }

  #checkLock(): void {
    if (!this.#lock.isHeld()) throw new CodedError('SESSION_LOCKED');
  }

  #rotate(): void {
    this.#checkLock();
    const full = this.#file;
    this.#file = this.#begin();
    full.close();
  }

  #begin(): SegmentFile {
    const number = this.#number + 1;
    const moved = new Map(carried(this.#state, this.#moved, number));
    const snapshot = takeSnapshot(this.#state, { tail: 0, receipts: true });
    const head = encodeHead(number, { moved, snapshot });
    const file = createSegmentFile(join(this.#journal, segmentName(number)), head);
    this.#number = number;
    this.#first = this.#state.nextSeq;
    this.#moved = moved;
    this.#headBytes = file.size;
    return file;
  }
}

/** Merges appends that continue each other. */
function coalesced(appends: readonly Append[]): Append[] {
  const joined: Append[] = [];
  for (const append of appends) {
    const at = joined.findLastIndex(({ entry, field }) => entry === append.entry && field === append.field);
    const before = joined[at];
    if (before && before.at + before.text.length === append.at) {
      joined[at] = { ...before, text: before.text + append.text };
    } else joined.push(append);
  }
  return joined;
}
