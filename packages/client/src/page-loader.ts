/**
 * Requests pages of older entries, one at a time: first stale pages, then those the user scrolls to (M3). The
 * replica owns the state and merges the pages.
 */
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { PAGE, type Page, withPage } from '@tugdeck/protocol/conversation/window';
import type { HostRequestInput } from '@tugdeck/protocol/wire/host-link';
import type { ClientError } from './client-error.ts';
import type { Range } from './merge.ts';

interface PendingLoad {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: ClientError) => void;
}

export class PageLoader {
  readonly #send: (request: HostRequestInput) => void;
  #stale: Range | undefined;
  #pending: PendingLoad | undefined;
  /** The `before` of the page being loaded. */
  #before: number | undefined;
  #exhausted = false;

  constructor(send: (request: HostRequestInput) => void) {
    this.#send = send;
  }

  hasOlder(state: Conversation): boolean {
    return state.from > 0 && !this.#exhausted;
  }

  /** Whether a page is being loaded or still has to be. */
  get isBusy(): boolean {
    return this.#before !== undefined || this.#stale !== undefined || this.#pending !== undefined;
  }

  /** Resolves when the window has grown, or cannot grow. The next `requestNext` sends the request. */
  loadOlder(state: Conversation): Promise<void> {
    if (this.#pending) return this.#pending.promise;
    if (!this.hasOlder(state)) return Promise.resolve();
    let resolve: PendingLoad['resolve'] = () => undefined;
    let reject: PendingLoad['reject'] = () => undefined;
    const promise = new Promise<void>((fulfil, refuse) => {
      resolve = fulfil;
      reject = refuse;
    });
    this.#pending = { promise, resolve, reject };
    return promise;
  }

  markStale(range: Range | undefined): void {
    this.#stale = range;
  }

  /** Pending requests may have been lost with the link. */
  restart(): void {
    this.#before = undefined;
    this.#exhausted = false;
  }

  requestNext(state: Conversation): void {
    if (this.#before !== undefined) return;
    if (this.#pending && !this.hasOlder(state)) this.#resolvePending();
    const to = this.#stale?.to ?? (this.#pending ? state.from : undefined);
    if (to === undefined) return;
    this.#before = to;
    this.#send({ type: 'entries', before: to, limit: Math.min(PAGE, to - (this.#stale?.from ?? 0)) });
  }

  receive(state: Conversation, page: Page): Conversation {
    const isEmpty = page.from >= page.to;
    const isAnswer = this.#before !== undefined && (isEmpty || page.to === this.#before);
    if (!isAnswer) return state;
    this.#before = undefined;
    // The page was read before a change to unloaded entries; `requestNext` requests it again.
    if (page.v < state.staleBefore) return state;
    const merged = withPage(state, page);
    if (this.#stale && (isEmpty || page.to === this.#stale.to)) {
      const done = isEmpty || page.from <= this.#stale.from;
      this.#stale = done ? undefined : { from: this.#stale.from, to: page.from };
    } else if (isEmpty) {
      this.#exhausted = true;
      this.#resolvePending();
    } else if (merged.from < state.from) this.#resolvePending();
    return merged;
  }

  fail(error: ClientError): void {
    this.#stale = undefined;
    this.#before = undefined;
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.reject(error);
  }

  #resolvePending(): void {
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.resolve();
  }
}
