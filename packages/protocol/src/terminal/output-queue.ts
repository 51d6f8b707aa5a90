/**
 * What a program has written and the terminal library has not been given yet, because it is busy with what came before. Of
 * the text at its beginning only the lines that will be kept are given: what is seen in the end is the same to the letter,
 * and a flood costs as much as its last lines. For the host's screen and a page's alike.
 */
import { lastLines, PlainText } from './plain-lines.ts';

export interface TerminalLibrary {
  write(data: Uint8Array | string, done?: () => void): void;
}

export interface OutputQueueOptions {
  readonly terminal: TerminalLibrary;
  /** Lines after which nothing is left of what was there, or nothing where that is not so. */
  readonly linesKept: () => number | undefined;
  readonly now: () => number;
  /**
   * So many more of the given bytes are done with, and so long the oldest of them lay here: no time at all where lines were
   * left out, for more of them would have cost nothing.
   */
  readonly done: (bytes: number, waitedMs: number) => void;
  /** Asked before something is given to a library that is at rest; whoever lets it wait calls `hand` later. */
  readonly mayWait?: (bytes: number, isPlain: boolean) => boolean;
}

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

  constructor(options: OutputQueueOptions) {
    this.#options = options;
  }

  /** What is given is not copied: it must be nobody else's. */
  write(data: Uint8Array, written?: () => void): void {
    if (this.#bytes === 0) this.#since = this.#options.now();
    const plain = this.#text.takes(data);
    if (this.#isPlain) this.#plainBytes += plain;
    this.#bytes += data.length;
    this.#waiting.push(data);
    if (written) this.#written.push(written);
    this.#goOn();
  }

  /** Runs when all that was written so far is part of the screen, and nothing that comes later. */
  settle(run: () => void): void {
    this.hand();
    this.#options.terminal.write('', run);
  }

  /** All that waits goes to the library. */
  hand(): void {
    if (this.#bytes === 0) return;
    const { terminal, done, now } = this.#options;
    const since = this.#since;
    const bytes = this.#bytes;
    const written = this.#written;
    const text = this.#takeUp();
    let leftOut = bytes - text.length;
    const isWhole = leftOut === 0;
    this.#writing += 1;
    for (let at = 0; at < text.length; at += PIECE) {
      const piece = text.subarray(at, at + PIECE);
      terminal.write(piece, () => {
        done(piece.length + leftOut, isWhole ? now() - since : 0);
        leftOut = 0;
        if (at + PIECE < text.length) return;
        this.#writing -= 1;
        for (const one of written) one();
        this.#goOn();
      });
    }
  }

  get #isPlain(): boolean {
    return this.#plainBytes === this.#bytes;
  }

  #goOn(): void {
    if (this.#writing > 0 || this.#bytes === 0) return;
    if (!this.#options.mayWait?.(this.#bytes, this.#isPlain)) this.hand();
  }

  #takeUp(): Uint8Array {
    const all = concat(this.#waiting, this.#bytes);
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

function concat(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only) return only;
  const all = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
