/**
 * The deck as one page follows it: the newest rows first, the rest of a long list in batches, then changes. A page that
 * is too slow gets the complete list again later instead of every change (S3).
 */

import { LIMITS } from '../limits.ts';
import type { Channel, DeckPush } from '../port.ts';
import { take } from '../take.ts';
import type { DeckService } from './deck-service.ts';

export class DeckChannel implements Channel {
  readonly opened = Promise.resolve();
  readonly #deck: DeckService;
  readonly #send: (push: DeckPush) => void;
  readonly #unsubscribe: () => void;
  #isPaused = false;
  #isStale = false;
  /** Sessions of a long list that are still to be sent. */
  #remaining: Iterator<string> | undefined;
  #timer: NodeJS.Immediate | undefined;

  constructor(deck: DeckService, send: (push: DeckPush) => void) {
    this.#deck = deck;
    this.#send = send;
    this.#unsubscribe = deck.subscribe((push) => this.#push(push));
    const walk = deck.walk();
    const newest = take(walk, LIMITS.rows);
    const more = newest.length === LIMITS.rows;
    send({ type: 'whole', deck: { ...deck.head(), sessions: deck.rows(newest), ...(more ? { more } : {}) } });
    this.#remaining = more ? walk : undefined;
    this.#sendMore();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#isStale) {
      this.#isStale = false;
      this.#send({ type: 'deck', deck: this.#deck.head() });
      this.#remaining = this.#deck.walk();
    }
    this.#sendMore();
  }

  close(): void {
    this.#unsubscribe();
    clearImmediate(this.#timer);
  }

  #push(push: DeckPush): void {
    if (this.#isPaused && push.type !== 'show') this.#isStale = true;
    else this.#send(push);
  }

  /** Sends the rest of a long list in batches, as fast as the page reads. */
  #sendMore(): void {
    if (!this.#remaining || this.#timer !== undefined || this.#isPaused) return;
    this.#timer = setImmediate(() => {
      this.#timer = undefined;
      const part = this.#remaining ? take(this.#remaining, LIMITS.rows) : [];
      const more = part.length === LIMITS.rows;
      if (!more) this.#remaining = undefined;
      this.#send({ type: 'rows', rows: this.#deck.rows(part), more });
      this.#sendMore();
    });
  }
}
