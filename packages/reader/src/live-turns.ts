/**
 * The text of running turns, for the search (S5): the end of each running session's journal that is not in the index
 * yet, followed a few milliseconds at a time. A search never waits longer than that for it.
 */
import type { IndexedText } from '@tugdeck/drivers/kit/history';
import { createSegmentCache } from '@tugdeck/journal/cache';
import type { Cooperative } from '@tugdeck/journal/cooperative';
import { diskFiles } from '@tugdeck/journal/files';
import { tail } from '@tugdeck/journal/reading';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { indexedPart } from './index-writer.ts';
import { journalState, searchableText } from './journal-index.ts';
import type { SessionFile } from './session-files.ts';

/** Reading per look, and between two looks. */
export const READ_MS = 8;
const INTERVAL_MS = 250;
/** Running sessions whose last segments are held; more than hosts may run at once. */
const SEGMENTS = 24;
/** Entries of one turn that are searched. */
const MAX_ENTRIES = 400;

interface LiveTurn {
  readonly file: SessionFile;
  /** The journal's size that was read last. */
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

  /** Reads on where journals have grown, for `LOOK_MS` at most; the rest is left for the next look. */
  read(): void {
    const end = this.#clock() + READ_MS;
    for (const live of this.#live.values()) {
      if (this.#clock() >= end) return;
      this.#readOne(live, end);
      // Those that were not reached this time come first the next time.
      this.#live.delete(live.file.row);
      this.#live.set(live.file.row, live);
    }
  }

  /** What running turns said that is not in the index. */
  *texts(): Generator<{ file: SessionFile; said: IndexedText }> {
    for (const { file, texts } of this.#live.values()) for (const one of texts) yield { file, said: one };
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
    const said = searchableText(entry);
    return said && said.text.trim() !== '' ? [{ ...said, text: indexedPart(said) }] : [];
  });
}
