/**
 * Detects a dead link (D6): when a server vanishes or the machine sleeps, the socket looks open for minutes. Pings
 * after a silent interval and reports the link as dead when no answer comes.
 */
import type { Clock } from './clock.ts';

export interface HeartbeatOptions {
  readonly clock: Clock;
  readonly ping: () => void;
  readonly onDead: () => void;
}

/** A timer this late means that the page was blocked, which says nothing about the link. */
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

  /** Called for every message, so it only records the time. */
  received(): void {
    this.#receivedAt = this.#options.clock.now();
  }

  /** Pings now, because the page woke up or the network changed. */
  check(): void {
    const { clock, ping, onDead } = this.#options;
    if (this.#quietMs === 0) return;
    this.#cancelTimer();
    const pingedAt = clock.now();
    const answerMs = this.#quietMs / 2;
    this.#cancelTimer = clock.after(answerMs, () => {
      if (this.#receivedAt >= pingedAt) this.#scheduleCheck();
      else if (clock.now() - pingedAt > answerMs + LATE_MS) this.check();
      else onDead();
    });
    // Only messages after this count as an answer.
    this.#receivedAt = Math.min(this.#receivedAt, pingedAt - 1);
    ping();
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
