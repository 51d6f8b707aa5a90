/**
 * Handles turns that another program made in one of our sessions (A42). An idle host is ended, because its agent does
 * not know the turn; if a page shows the session, the next host imports it at once.
 */
import type { Log } from '@tugdeck/local/log';
import { reportOf } from '@tugdeck/protocol/wire/errors';
import type { HostPool } from '../hosts/host-pool.ts';

export class ExternalTurns {
  readonly #pool: HostPool;
  readonly #log: Log;
  /** Sessions whose host was asked to end for this. */
  readonly #ending = new Set<string>();
  readonly #isShown: (session: string) => boolean;

  constructor(pool: HostPool, isShown: (session: string) => boolean, log: Log) {
    this.#pool = pool;
    this.#isShown = isShown;
    this.#log = log;
    pool.subscribe({
      ended: (session) => {
        if (this.#ending.delete(session)) this.#showTurn(session);
      },
    });
  }

  turnCompleted(session: string): void {
    if (!this.#pool.isLive(session)) this.#showTurn(session);
    else if (this.#pool.endIfIdle(session)) this.#ending.add(session);
  }

  #showTurn(session: string): void {
    if (!this.#isShown(session)) return;
    void this.#pool
      .ensure(session)
      .catch((error: unknown) => this.#log.warn('external turn not shown', { session, ...reportOf(error) }));
  }
}
