/**
 * Texts of running turns, for search (S5): the end of each running session's journal that is not indexed yet, read a
 * few milliseconds at a time, so that a search never waits longer.
 */
import type { IndexedText } from '@tugdeck/drivers/kit/history';
import { createSegmentCache } from '@tugdeck/journal/cache';
import { diskFiles } from '@tugdeck/journal/files';
import { tail } from '@tugdeck/journal/reading';
import type { Cooperative } from '@tugdeck/local/cooperative';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { indexedPart } from './index-writer.ts';
import { journalState, searchableText } from './journal-index.ts';
import type { SessionFile } from './session-files.ts';

/** Maximum duration of a read, and the interval between reads. */
export const READ_MS = 8;
const INTERVAL_MS = 250;
/** Cached segments of running sessions; more than the maximum number of hosts. */
const SEGMENTS = 24;
/** Searched entries per turn. */
const MAX_ENTRIES = 400;

interface LiveTurn {
  readonly file: SessionFile;
  /** Size of the journal at the last read. */
  size: number;
  reading: { readonly steps: Cooperative<Conversation | undefined>; readonly size: number } | undefined;
  texts: readonly IndexedText[];
}

export class LiveTurns {
  readonly #data: DataDirectory;
  readonly #clock: () => number;
  readonly #live = new Map<string, LiveTurn>();
  readonly #load = createSegmentCache(diskFiles, SEGMENTS);
  readonly #timer: NodeJS.Timeout;

  constructor(data: DataDirectory, clock = () => performance.now()) {
    this.#data = data;
    this.#clock = clock;
    this.#timer = setInterval(() => this.read(), INTERVAL_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  set(file: SessionFile, isRunning: boolean): void {
    if (!isRunning) this.#live.delete(file.row);
    else if (this.#live.get(file.row)?.file !== file) {
      this.#live.set(file.row, { file, size: 0, reading: undefined, texts: [] });
    }
  }

  /** Reads growing journals for at most `READ_MS`; the rest is left for the next call. */
  read(): void {
    const end = this.#clock() + READ_MS;
    for (const live of this.#live.values()) {
      if (this.#clock() >= end) return;
      this.#readOne(live, end);
      // Sessions that were not reached come first next time.
      this.#live.delete(live.file.row);
      this.#live.set(live.file.row, live);
    }
  }

  /** Texts of running turns that are not in the index. */
  *texts(): Generator<{ file: SessionFile; indexed: IndexedText }> {
    for (const { file, texts } of this.#live.values()) for (const one of texts) yield { file, indexed: one };
  }

  #readOne(live: LiveTurn, end: number): void {
    const directory = this.#data.session(live.file.session);
    if (!live.reading) {
      const size = journalState(directory.journal)?.size ?? 0;
      if (size === live.size) return;
      live.reading = { steps: tail(directory, { load: this.#load }), size };
    }
    for (;;) {
      const step = live.reading.steps.next();
      if (step.done) {
        live.size = live.reading.size;
        live.reading = undefined;
        live.texts = step.value ? textsSince(step.value, live.file.done) : [];
        return;
      }
      if (this.#clock() >= end) return;
    }
  }
}

function textsSince(state: Conversation, from: number): IndexedText[] {
  const first = Math.max(from, state.nextSeq - MAX_ENTRIES);
  return [...entriesFrom(state.entries, first)].flatMap((entry) => {
    const indexed = searchableText(entry);
    return indexed && indexed.text.trim() !== '' ? [{ ...indexed, text: indexedPart(indexed) }] : [];
  });
}
