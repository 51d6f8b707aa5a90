/**
 * Collects live appends briefly and merges adjacent ones, so that a write or frame does not happen for each of
 * hundreds of deltas per second.
 */
import type { Append, AppendField } from '@tugdeck/protocol/conversation/changes';

/** Characters after which the buffer is flushed at once. */
const FULL = 64 * 1024;

export interface AppendBufferOptions {
  /** Flushes the first append after a pause at once; only appends that follow closely are collected. */
  readonly eager?: boolean;
}

export class AppendBuffer {
  readonly #withinMs: number;
  readonly #onFlush: (appends: Append[]) => void;
  readonly #eager: boolean;
  #appends: Append[] = [];
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    withinMs: number,
    onFlush: (appends: Append[]) => void,
    { eager = false }: AppendBufferOptions = {},
  ) {
    this.#withinMs = withinMs;
    this.#onFlush = onFlush;
    this.#eager = eager;
  }

  add(append: Append): void {
    const last = this.#appends.at(-1);
    if (last && continues(last, append)) {
      this.#appends[this.#appends.length - 1] = { ...last, text: last.text + append.text };
    } else {
      this.#appends.push(append);
    }
    this.#size += append.text.length;
    if (this.#size >= FULL || (this.#eager && this.#timer === undefined)) this.flush();
    this.#timer ??= setTimeout(() => this.#onTimer(), this.#withinMs);
  }

  drop(entry: string, field: AppendField): void {
    this.#appends = this.#appends.filter((append) => append.entry !== entry || append.field !== field);
  }

  flush(): void {
    const appends = this.#appends;
    this.#appends = [];
    this.#size = 0;
    if (appends.length > 0) this.#onFlush(appends);
  }

  #onTimer(): void {
    this.#timer = undefined;
    // Keep collecting as long as text arrives.
    if (this.#eager && this.#appends.length > 0) {
      this.#timer = setTimeout(() => this.#onTimer(), this.#withinMs);
    }
    this.flush();
  }
}

function continues(last: Append, next: Append): boolean {
  return last.entry === next.entry && last.field === next.field && last.at + last.text.length === next.at;
}
