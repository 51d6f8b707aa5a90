/**
 * Program output that was not passed to the terminal library yet. Small writes are passed on at once; while the
 * library is busy, the rest waits. In a flood of plain lines, only the lines that remain visible are passed on. The
 * final screen is identical; `settle` waits for it. Used by host and page.
 */
import { concatBytes } from './concat-bytes.ts';
import { lastLines, PlainText } from './plain-lines.ts';

export interface TerminalLibrary {
  write(data: Uint8Array | string, done?: () => void): void;
}

export interface QueueClock {
  now(): number;
  /** Calls `run` after `ms` milliseconds. Returns a cancel function. */
  after(ms: number, run: () => void): () => void;
}

/** Available in browsers and in Node. */
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
  /** Number of lines that fill screen and scrollback completely; undefined if that cannot be known. */
  readonly linesKept: () => number | undefined;
  readonly clock: QueueClock;
  /** Pause between writes in a flood of plain text. */
  readonly pauseMs: number;
  /**
   * Reports processed bytes, and how long the oldest of them waited for the library: 0 if lines were skipped, because
   * more of them would have cost nothing.
   */
  readonly done?: (bytes: number, waitedMs: number) => void;
}

/** This many bytes within this time are a flood. */
const FLOOD = 32 * 1024;
const FLOOD_MS = 100;
/** Bytes above which no pause is made. */
export const MAX_PENDING = 512 * 1024;
/** Bytes that the library processes without a pause. */
const PIECE = 16 * 1024;

export class OutputQueue {
  readonly #options: OutputQueueOptions;
  readonly #text = new PlainText();
  #waiting: Uint8Array[] = [];
  #bytes = 0;
  /** Length of the plain text at the start of the pending bytes. */
  #plainBytes = 0;
  #since = 0;
  #written: (() => void)[] = [];
  /** Number of unfinished writes to the library. */
  #writing = 0;
  #pending = 0;
  #recent = { since: 0, bytes: 0 };
  #pausedUntil = 0;
  #cancelPause: (() => void) | undefined;

  constructor(options: OutputQueueOptions) {
    this.#options = options;
  }

  /** Bytes that were written but are not on the screen yet. */
  get pending(): number {
    return this.#pending;
  }

  /** Takes ownership of `data`; it is not copied. */
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

  /** Calls `run` when everything written so far is on the screen, and nothing later is. */
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
    // Other than plain text may be a query whose answer the program waits for.
    if (rest <= 0 || !this.#isPlain || this.#bytes >= MAX_PENDING) this.#flush();
    else this.#cancelPause ??= clock.after(rest, () => this.#flush());
  }

  /** Passes all pending bytes to the library. */
  #flush(): void {
    const { terminal, clock } = this.#options;
    // The pause was deliberate, so it does not count as waiting.
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
    // Unfinished writes may change how many lines are kept.
    const lines = this.#writing === 0 ? this.#options.linesKept() : undefined;
    this.#waiting = [];
    this.#bytes = 0;
    this.#plainBytes = 0;
    this.#written = [];
    return lines === undefined ? all : all.subarray(text.length - lastLines(text, lines).length);
  }
}
