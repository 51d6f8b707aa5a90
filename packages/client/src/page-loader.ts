/**
 * Asks for pages of older entries, one at a time: pages that may have changed unseen are read again, then
 * what the user scrolls for (M3). Owns the asking, not the state; the follower merges what comes.
 */
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { PAGE, type Page, withPage } from '@tugdeck/protocol/conversation/window';
import type { HostRequestInput } from '@tugdeck/protocol/wire/host-link';
import type { ClientError } from './client-error.ts';
import type { Range } from './merge.ts';

interface Wish {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: ClientError) => void;
}

export class PageLoader {
  readonly #send: (request: HostRequestInput) => void;
  #stale: Range | undefined;
  #wish: Wish | undefined;
  /** The `before` of the page that is under way. */
  #before: number | undefined;
  #exhausted = false;

  constructor(send: (request: HostRequestInput) => void) {
    this.#send = send;
  }

  hasOlder(state: Conversation): boolean {
    return state.from > 0 && !this.#exhausted;
  }

  /** Something is still to come. */
  get isBusy(): boolean {
    return this.#before !== undefined || this.#stale !== undefined || this.#wish !== undefined;
  }

  /** Resolves when the window grew, or cannot; asked for by the next `next`. */
  loadOlder(state: Conversation): Promise<void> {
    if (this.#wish) return this.#wish.promise;
    if (!this.hasOlder(state)) return Promise.resolve();
    let resolve: Wish['resolve'] = () => undefined;
    let reject: Wish['reject'] = () => undefined;
    const promise = new Promise<void>((fulfil, refuse) => {
      resolve = fulfil;
      reject = refuse;
    });
    this.#wish = { promise, resolve, reject };
    return promise;
  }

  readAgain(range: Range | undefined): void {
    this.#stale = range;
  }

  /** Whatever was under way may have been lost. */
  restart(): void {
    this.#before = undefined;
    this.#exhausted = false;
  }

  next(state: Conversation): void {
    if (this.#before !== undefined) return;
    if (this.#wish && !this.hasOlder(state)) this.#grant();
    const to = this.#stale?.to ?? (this.#wish ? state.from : undefined);
    if (to === undefined) return;
    this.#before = to;
    this.#send({ type: 'entries', before: to, limit: Math.min(PAGE, to - (this.#stale?.from ?? 0)) });
  }

  take(state: Conversation, page: Page): Conversation {
    const isEmpty = page.from >= page.to;
    const isAnswer = this.#before !== undefined && (isEmpty || page.to === this.#before);
    if (!isAnswer) return state;
    this.#before = undefined;
    // Read before a change that passed by unloaded entries: `next` asks for it again.
    if (page.v < state.staleBefore) return state;
    const merged = withPage(state, page);
    if (this.#stale && (isEmpty || page.to === this.#stale.to)) {
      const done = isEmpty || page.from <= this.#stale.from;
      this.#stale = done ? undefined : { from: this.#stale.from, to: page.from };
    } else if (isEmpty) {
      this.#exhausted = true;
      this.#grant();
    } else if (merged.from < state.from) this.#grant();
    return merged;
  }

  fail(error: ClientError): void {
    this.#stale = undefined;
    this.#before = undefined;
    const wish = this.#wish;
    this.#wish = undefined;
    wish?.reject(error);
  }

  #grant(): void {
    const wish = this.#wish;
    this.#wish = undefined;
    wish?.resolve();
  }
}
