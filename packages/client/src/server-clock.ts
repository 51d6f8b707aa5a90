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
  readonly #own: () => number;
  /** The server's is ahead of ours by this. */
  #ahead = 0;
  /** False where nothing can be asked. */
  #ask: () => boolean = () => false;
  /** Shared by all who ask at once. */
  #asking: Deferred | undefined;

  constructor(own: () => number) {
    this.#own = own;
  }

  now(): number {
    return this.#own() + this.#ahead;
  }

  learn(now: number): void {
    this.#ahead = now - this.#own();
    this.#asking?.resolve();
  }

  /** How to ask from now on; without it, whoever waits for an answer waits no longer. */
  askBy(ask?: () => boolean): void {
    this.#ask = ask ?? (() => false);
    if (!ask) this.#asking?.resolve();
  }

  /** Asks, and says whether one of the two was set since it was learned last. */
  async wasSet(): Promise<boolean> {
    const before = this.#ahead;
    this.#asking ??= this.#begin();
    await this.#asking.promise;
    return Math.abs(this.#ahead - before) > CHANGED_MS;
  }

  #begin(): Deferred {
    const asking = defer();
    const late = setTimeout(asking.resolve, ANSWER_MS);
    void asking.promise.then(() => {
      clearTimeout(late);
      this.#asking = undefined;
    });
    if (!this.#ask()) asking.resolve();
    return asking;
  }
}
