/** Counts each session's recent host deaths. A host that keeps dying is not restarted (H6). */
import { RESTART_BUDGET, type Timings } from '@tugdeck/local/timings';

export class RestartBudget {
  readonly #deaths = new Map<string, number[]>();
  readonly #now: () => number;
  readonly #windowMs: number;

  constructor(now: () => number, { restartWindowMs }: Pick<Timings, 'restartWindowMs'>) {
    this.#now = now;
    this.#windowMs = restartWindowMs;
  }

  recordDeath(session: string): void {
    this.#deaths.set(session, [...this.#recent(session), this.#now()]);
  }

  isExhausted(session: string): boolean {
    return this.#recent(session).length > RESTART_BUDGET;
  }

  #recent(session: string): number[] {
    return (this.#deaths.get(session) ?? []).filter((at) => at > this.#now() - this.#windowMs);
  }
}
