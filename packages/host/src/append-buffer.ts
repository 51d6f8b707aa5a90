/**
 * Gathers live appends for a short while and hands them on with adjacent ones merged: what costs a write or
 * a frame per delta would otherwise be paid hundreds of times a second.
 */
import type { Append, AppendField } from '@tugdeck/protocol/conversation/changes';

/** Handed on at once when this much was gathered. */
const FULL = 64 * 1024;

export class AppendBuffer {
  readonly #withinMs: number;
  readonly #handOn: (appends: Append[]) => void;
  #appends: Append[] = [];
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(withinMs: number, handOn: (appends: Append[]) => void) {
    this.#withinMs = withinMs;
    this.#handOn = handOn;
  }

  add(append: Append): void {
    const last = this.#appends.at(-1);
    if (last && continues(last, append)) {
      this.#appends[this.#appends.length - 1] = { ...last, text: last.text + append.text };
    } else {
      this.#appends.push(append);
    }
    this.#size += append.text.length;
    if (this.#size >= FULL) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), this.#withinMs);
  }

  drop(entry: string, field: AppendField): void {
    this.#appends = this.#appends.filter((append) => append.entry !== entry || append.field !== field);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const appends = this.#appends;
    this.#appends = [];
    this.#size = 0;
    if (appends.length > 0) this.#handOn(appends);
  }
}

function continues(last: Append, next: Append): boolean {
  return last.entry === next.entry && last.field === next.field && last.at + last.text.length === next.at;
}
