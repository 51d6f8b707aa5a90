/**
 * Whether anybody is at the other end: a server that is gone without a word, or a machine that slept, leaves a socket that
 * looks open for many minutes (D6). Asks when nothing was heard for a while; without an answer the link is dead.
 */
import type { Clock } from './clock.ts';

export interface PulseOptions {
  readonly clock: Clock;
  readonly ask: () => void;
  readonly dead: () => void;
}

/** A timer that comes so late was held up with everything else: then nothing is said of the other end. */
const LATE_MS = 1_000;

export class Pulse {
  readonly #options: PulseOptions;
  #heardAt = 0;
  #quietMs = 0;
  #callOff: () => void = () => undefined;

  constructor(options: PulseOptions) {
    this.#options = options;
  }

  start(quietMs: number): void {
    this.#quietMs = quietMs;
    this.heard();
    this.#listen();
  }

  /** Something came, whatever it was. Called for every message, so it only notes the time. */
  heard(): void {
    this.#heardAt = this.#options.clock.now();
  }

  /** Asks now: the page woke up, or the network changed. */
  look(): void {
    const { clock, ask, dead } = this.#options;
    if (this.#quietMs === 0) return;
    this.#callOff();
    const askedAt = clock.now();
    const answerMs = this.#quietMs / 2;
    this.#callOff = clock.after(answerMs, () => {
      if (this.#heardAt >= askedAt) this.#listen();
      else if (clock.now() - askedAt > answerMs + LATE_MS) this.look();
      else dead();
    });
    // Heard means: after this.
    this.#heardAt = Math.min(this.#heardAt, askedAt - 1);
    ask();
  }

  stop(): void {
    this.#quietMs = 0;
    this.#callOff();
  }

  #listen(): void {
    const { clock } = this.#options;
    const left = this.#heardAt + this.#quietMs - clock.now();
    if (left <= 0) this.look();
    else this.#callOff = clock.after(left, () => this.#listen());
  }
}
