/**
 * What a terminal has written and its screen has not taken up. A few bytes are taken up at once; in a flood the screen
 * waits for more, because of many plain lines only the last are ever seen. Nothing of what is seen is lost, and whoever
 * needs the screen as it is now (`settle`) gets it.
 */

import { OutputQueue } from '@tugdeck/protocol/terminal/output-queue';
import type { Terminal } from '@xterm/headless';

/** So much in so short a time is a flood, however small its pieces are. */
const FLOOD = 32 * 1024;
const FLOOD_MS = 100;
export const MOST_WAITING = 512 * 1024;
const REST_MS = 1_000;

export interface BacklogOptions {
  readonly terminal: Terminal;
  /** Lines after which nothing is left of what was there, or nothing where that is not so. */
  readonly linesKept: () => number | undefined;
}

export class Backlog {
  readonly #queue: OutputQueue;
  #lately = { since: 0, bytes: 0 };
  #notBefore = 0;
  #timer: NodeJS.Timeout | undefined;
  #pending = 0;

  constructor({ terminal, linesKept }: BacklogOptions) {
    this.#queue = new OutputQueue({
      terminal,
      linesKept,
      now: () => performance.now(),
      done: (bytes) => {
        this.#pending -= bytes;
        this.#heed(bytes);
      },
      mayWait: (bytes, isPlain) => this.#mayWait(bytes, isPlain),
    });
  }

  /** Bytes that were given and are not part of the screen yet. */
  get pending(): number {
    return this.#pending;
  }

  write(data: Uint8Array, written: () => void): void {
    this.#pending += data.length;
    this.#queue.write(data, written);
  }

  /** Runs when all that was written so far is part of the screen, and nothing that comes later. */
  settle(run: () => void): void {
    this.#stopWaiting();
    this.#queue.settle(run);
  }

  close(): void {
    this.#stopWaiting();
  }

  #mayWait(bytes: number, isPlain: boolean): boolean {
    const rest = this.#notBefore - performance.now();
    // What is not only text may be a question, and the program waits for the answer.
    if (rest > 0 && isPlain && bytes < MOST_WAITING) {
      this.#timer ??= setTimeout(() => {
        this.#stopWaiting();
        this.#queue.hand();
      }, rest);
      return true;
    }
    this.#stopWaiting();
    return false;
  }

  #heed(bytes: number): void {
    const now = performance.now();
    if (now - this.#lately.since > FLOOD_MS) this.#lately = { since: now, bytes: 0 };
    this.#lately.bytes += bytes;
    if (this.#lately.bytes >= FLOOD) this.#notBefore = now + REST_MS;
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
