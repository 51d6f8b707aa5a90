/**
 * The server's clock, which the proofs of requests go by (X1). It is learned when the server proves itself; clocks that are set
 * while the link holds are found when a request is refused, and then the server is asked again on its proven socket.
 * What anybody else says of the time could make us sign for later.
 */
import { type Deferred, defer } from './deferred.ts';

/** Clocks that differ by so much more or less than before were set. */
const CHANGED_MS = 1_000;
/** How long the server may take to say its time. One of an older build never does. */
const ANSWER_MS = 3_000;

export class ServerClock {
  readonly #localTime: () => number;
  /** The server's is ahead of ours by this. */
  #offset = 0;
  /** False where nothing can be asked. */
  #requestTime: () => boolean = () => false;
  /** Shared by all who ask at once. */
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

  /** How to ask from now on; without it, whoever waits for an answer waits no longer. */
  setTimeRequest(ask?: () => boolean): void {
    this.#requestTime = ask ?? (() => false);
    if (!ask) this.#pending?.resolve();
  }

  /** Asks, and says whether one of the two was set since it was learned last. */
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
