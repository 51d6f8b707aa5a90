/**
 * Whether anybody is at the other end: a server that is gone without a word, or a machine that slept, leaves a socket that
 * looks open for many minutes (D6). Asks when nothing was heard for a while; without an answer the link is dead.
 */
import type { Clock } from './clock.ts';

export interface HeartbeatOptions {
  readonly clock: Clock;
  readonly ping: () => void;
  readonly onDead: () => void;
}

/** A timer that comes so late was held up with everything else: then nothing is said of the other end. */
const LATE_MS = 1_000;

export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #receivedAt = 0;
  #quietMs = 0;
  #cancelTimer: () => void = () => undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  start(quietMs: number): void {
    this.#quietMs = quietMs;
    this.received();
    this.#scheduleCheck();
  }

  /** Something came, whatever it was. Called for every message, so it only notes the time. */
  received(): void {
    this.#receivedAt = this.#options.clock.now();
  }

  /** Asks now: the page woke up, or the network changed. */
  check(): void {
    const { clock, ping: ask, onDead: dead } = this.#options;
    if (this.#quietMs === 0) return;
    this.#cancelTimer();
    const pingedAt = clock.now();
    const answerMs = this.#quietMs / 2;
    this.#cancelTimer = clock.after(answerMs, () => {
      if (this.#receivedAt >= pingedAt) this.#scheduleCheck();
      else if (clock.now() - pingedAt > answerMs + LATE_MS) this.check();
      else dead();
    });
    // Heard means: after this.
    this.#receivedAt = Math.min(this.#receivedAt, pingedAt - 1);
    ask();
  }

  stop(): void {
    this.#quietMs = 0;
    this.#cancelTimer();
  }

  #scheduleCheck(): void {
    const { clock } = this.#options;
    const left = this.#receivedAt + this.#quietMs - clock.now();
    if (left <= 0) this.check();
    else this.#cancelTimer = clock.after(left, () => this.#scheduleCheck());
  }
}
