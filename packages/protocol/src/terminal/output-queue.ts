/**
 * What a program has written and the terminal library has not been given yet. A few bytes are given at once; while the library
 * is busy the rest waits, and in a flood a little longer, because of many plain lines only the last are ever seen: the others
 * are left out. What is seen in the end is the same to the letter, and whoever needs the screen as it is now (`settle`) gets it. For the
 * host's screen and a page's alike.
 */
import { concatBytes } from './concat-bytes.ts';
import { lastLines, PlainText } from './plain-lines.ts';

export interface TerminalLibrary {
  write(data: Uint8Array | string, done?: () => void): void;
}

export interface QueueClock {
  now(): number;
  /** Runs it after so many milliseconds, unless what it gives is called before. */
  after(ms: number, run: () => void): () => void;
}

/** What a page and a server both have. */
interface Timers {
  readonly performance: { now(): number };
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: never): void;
}

export function clockOf(timers: Timers): QueueClock {
  return {
    now: () => timers.performance.now(),
    after: (ms, run) => {
      const timer = timers.setTimeout(run, ms);
      return () => timers.clearTimeout(timer as never);
    },
  };
}

export interface OutputQueueOptions {
  readonly terminal: TerminalLibrary;
  /** Lines after which nothing is left of what was there, or nothing where that is not so. */
  readonly linesKept: () => number | undefined;
  readonly clock: QueueClock;
  /** How long the library rests in a flood of plain text. */
  readonly pauseMs: number;
  /**
   * So many more of the given bytes are done with, and so long the oldest of them lay here because the library was busy: no
   * time at all where lines were left out, for more of them would have cost nothing.
   */
  readonly done?: (bytes: number, waitedMs: number) => void;
}

/** So much in so short a time is a flood, however small its pieces are. */
const FLOOD = 32 * 1024;
const FLOOD_MS = 100;
/** Waits for no rest to end. */
export const MAX_PENDING = 512 * 1024;
/** The library takes up one piece without a pause. */
const PIECE = 16 * 1024;

export class OutputQueue {
  readonly #options: OutputQueueOptions;
  readonly #text = new PlainText();
  #waiting: Uint8Array[] = [];
  #bytes = 0;
  /** Of what waits, so much is text before anything else comes. */
  #plainBytes = 0;
  #since = 0;
  #written: (() => void)[] = [];
  /** How often the library was given something that it is not done with. */
  #writing = 0;
  #pending = 0;
  #recent = { since: 0, bytes: 0 };
  #pausedUntil = 0;
  #cancelPause: (() => void) | undefined;

  constructor(options: OutputQueueOptions) {
    this.#options = options;
  }

  /** Bytes that were given and are not part of the screen yet. */
  get pending(): number {
    return this.#pending;
  }

  /** What is given is not copied: it must be nobody else's. */
  write(data: Uint8Array, written?: () => void): void {
    if (this.#bytes === 0) this.#since = this.#options.clock.now();
    const plain = this.#text.takes(data);
    if (this.#isPlain) this.#plainBytes += plain;
    this.#bytes += data.length;
    this.#pending += data.length;
    this.#waiting.push(data);
    if (written) this.#written.push(written);
    this.#flushIfReady();
  }

  /** Runs when all that was written so far is part of the screen, and nothing that comes later. */
  settle(run: () => void): void {
    this.#flush();
    this.#options.terminal.write('', run);
  }

  close(): void {
    this.#cancelPause?.();
  }

  get #isPlain(): boolean {
    return this.#plainBytes === this.#bytes;
  }

  #flushIfReady(): void {
    if (this.#writing > 0 || this.#bytes === 0) return;
    const { clock } = this.#options;
    const rest = this.#pausedUntil - clock.now();
    // What is not only text may be a question, and the program waits for the answer.
    if (rest <= 0 || !this.#isPlain || this.#bytes >= MAX_PENDING) this.#flush();
    else this.#cancelPause ??= clock.after(rest, () => this.#flush());
  }

  /** All that waits goes to the library. */
  #flush(): void {
    const { terminal, clock } = this.#options;
    // Its rest was our own choice.
    if (this.#cancelPause) this.#since = clock.now();
    this.#cancelPause?.();
    this.#cancelPause = undefined;
    if (this.#bytes === 0) return;
    const since = this.#since;
    const written = this.#written;
    let leftOut = this.#bytes;
    const text = this.#takePending();
    leftOut -= text.length;
    const isWhole = leftOut === 0;
    this.#writing += 1;
    for (let at = 0; at < text.length; at += PIECE) {
      const piece = text.subarray(at, at + PIECE);
      terminal.write(piece, () => {
        this.#done(piece.length + leftOut, isWhole ? clock.now() - since : 0);
        leftOut = 0;
        if (at + PIECE < text.length) return;
        this.#writing -= 1;
        for (const one of written) one();
        this.#flushIfReady();
      });
    }
  }

  #done(bytes: number, waitedMs: number): void {
    const { clock, pauseMs, done } = this.#options;
    const now = clock.now();
    if (now - this.#recent.since > FLOOD_MS) this.#recent = { since: now, bytes: 0 };
    this.#recent.bytes += bytes;
    if (this.#recent.bytes >= FLOOD) this.#pausedUntil = now + pauseMs;
    this.#pending -= bytes;
    done?.(bytes, waitedMs);
  }

  #takePending(): Uint8Array {
    const all = concatBytes(this.#waiting, this.#bytes);
    const text = all.subarray(0, this.#plainBytes);
    // What the library is still busy with may change what is kept.
    const lines = this.#writing === 0 ? this.#options.linesKept() : undefined;
    this.#waiting = [];
    this.#bytes = 0;
    this.#plainBytes = 0;
    this.#written = [];
    return lines === undefined ? all : all.subarray(text.length - lastLines(text, lines).length);
  }
}
