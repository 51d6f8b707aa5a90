/**
 * The server's time, used in the proofs of requests (X1). It is synchronized when the server proves its identity.
 * If a clock is changed later, a request is refused and the server is asked again over its verified socket.
 * Unverified time is not used: it could make us sign for the future.
 */
import { type Deferred, defer } from './deferred.ts';

/** A clock was changed if the offset changed by more than this. */
const CHANGED_MS = 1_000;
/** Timeout for the server's time. Servers of older builds never answer. */
const ANSWER_MS = 3_000;

export class ServerClock {
  readonly #localTime: () => number;
  /** Server time minus local time. */
  #offset = 0;
  /** Returns false if the request cannot be sent. */
  #requestTime: () => boolean = () => false;
  /** Shared by concurrent callers. */
  #pending: Deferred | undefined;

  constructor(own: () => number) {
    this.#localTime = own;
  }

  now(): number {
    return this.#localTime() + this.#offset;
  }

  sync(now: number): void {
    this.#offset = now - this.#localTime();
    this.#pending?.resolve();
  }

  /** Sets how to request the time; without an argument, pending callers stop waiting. */
  setTimeRequest(request?: () => boolean): void {
    this.#requestTime = request ?? (() => false);
    if (!request) this.#pending?.resolve();
  }

  /** Requests the time and returns whether a clock was changed since the last synchronization. */
  async wasAdjusted(): Promise<boolean> {
    const before = this.#offset;
    this.#pending ??= this.#startRequest();
    await this.#pending.promise;
    return Math.abs(this.#offset - before) > CHANGED_MS;
  }

  #startRequest(): Deferred {
    const asking = defer();
    const late = setTimeout(asking.resolve, ANSWER_MS);
    void asking.promise.then(() => {
      clearTimeout(late);
      this.#pending = undefined;
    });
    if (!this.#requestTime()) asking.resolve();
    return asking;
  }
}
