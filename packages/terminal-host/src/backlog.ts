/**
 * What a terminal has written and its screen has not taken up. A few bytes are taken up at once; in a flood the screen
 * waits for more, because of many plain lines only the last are ever seen. Nothing of what is seen is lost, and whoever
 * needs the screen as it is now (`settle`) gets it.
 */
import type { Terminal } from '@xterm/headless';
import { lastLines, PlainText } from './plain-lines.ts';

/** So much in so short a time is a flood, however small its pieces are. */
const FLOOD = 32 * 1024;
const FLOOD_MS = 100;
export const MOST_WAITING = 512 * 1024;
const REST_MS = 1_000;
/** The terminal takes up one piece without a pause. */
const PIECE = 16 * 1024;

export interface BacklogOptions {
  readonly terminal: Terminal;
  /** Lines after which nothing is left of what was there, or nothing where that is not so. */
  readonly linesKept: () => number | undefined;
}

export class Backlog {
  readonly #options: BacklogOptions;
  readonly #text = new PlainText();
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #written: (() => void)[] = [];
  #isPlain = true;
  /** How often the terminal was given something that it is not done with. */
  #writing = 0;
  #lately = { since: 0, bytes: 0 };
  #notBefore = 0;
  #timer: NodeJS.Timeout | undefined;
  #pending = 0;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** Bytes that were given and are not part of the screen yet. */
  get pending(): number {
    return this.#pending;
  }

  write(data: Uint8Array, written: () => void): void {
    this.#pending += data.length;
    this.#waitingBytes += data.length;
    this.#waiting.push(data);
    this.#written.push(written);
    if (!this.#text.takes(data)) this.#isPlain = false;
    this.#goOn();
  }

  /** Runs when all that was written so far is part of the screen, and nothing that comes later. */
  settle(run: () => void): void {
    this.#hand();
    this.#options.terminal.write('', run);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #goOn(): void {
    if (this.#writing > 0 || this.#waiting.length === 0) return;
    const rest = this.#notBefore - performance.now();
    // What is not only text may be a question, and the program waits for the answer.
    if (rest <= 0 || !this.#isPlain || this.#waitingBytes >= MOST_WAITING) this.#hand();
    else this.#timer ??= setTimeout(() => this.#hand(), rest);
  }

  /** All that waits goes to the terminal. */
  #hand(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const bytes = this.#waitingBytes;
    const written = this.#written;
    const text = this.#takeUp();
    this.#heed(bytes);
    this.#writing += 1;
    const { terminal } = this.#options;
    for (let at = PIECE; at < text.length; at += PIECE) terminal.write(text.subarray(at - PIECE, at));
    const last = text.subarray(Math.floor((text.length - 1) / PIECE) * PIECE);
    terminal.write(last, () => {
      this.#writing -= 1;
      this.#pending -= bytes;
      for (const one of written) one();
      this.#goOn();
    });
  }

  #heed(bytes: number): void {
    const now = performance.now();
    if (now - this.#lately.since > FLOOD_MS) this.#lately = { since: now, bytes: 0 };
    this.#lately.bytes += bytes;
    if (this.#lately.bytes >= FLOOD) this.#notBefore = now + REST_MS;
  }

  #takeUp(): Uint8Array {
    const all = Buffer.concat(this.#waiting);
    // What the terminal is still busy with may change what is kept.
    const lines = this.#isPlain && this.#writing === 0 ? this.#options.linesKept() : undefined;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#written = [];
    this.#isPlain = true;
    return lines === undefined ? all : lastLines(all, lines);
  }
}
