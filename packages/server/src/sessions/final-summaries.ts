/**
 * What a host that went may not have told: the last thing it did, from its journal. Read in slices, for several may go at
 * once; by the time it is read another host may run, or may have come and gone: then that one has told more.
 */
import { setImmediate } from 'node:timers/promises';
import { runInSlices } from '@tugdeck/journal/cooperative';
import { tail } from '@tugdeck/journal/reading';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Log } from '@tugdeck/local/log';
import { summarize } from '@tugdeck/protocol/conversation/summarize';
import type { Sessions } from './sessions.ts';

export interface FinalSummariesOptions {
  readonly data: DataDirectory;
  readonly sessions: Pick<Sessions, 'find' | 'recordSummary' | 'walk'>;
  readonly isLive: (session: string) => boolean;
  /** The row is what it will be. */
  readonly published: (session: string) => void;
  readonly log: Pick<Log, 'warn'>;
}

/** Rows looked at before others are answered. */
const ROWS_PER_SLICE = 50;

export class FinalSummaries {
  readonly #options: FinalSummariesOptions;
  readonly #pending = new Set<Promise<void>>();
  #closed = false;

  constructor(options: FinalSummariesOptions) {
    this.#options = options;
  }

  /** Resolves when it is told, whatever came of it. */
  publish(session: string): Promise<void> {
    const work = this.#publish(session)
      .catch((error: unknown) => this.#options.log.warn('last words', { session, error }))
      .finally(() => this.#pending.delete(work));
    this.#pending.add(work);
    return work;
  }

  /**
   * Of sessions whose host ended while no server was there to hear it: their rows still say what the last server was told.
   * Looked for once, after a start; a row at rest cannot be behind, and the rest are few.
   */
  async catchUp(): Promise<void> {
    const { sessions, isLive } = this.#options;
    let visited = 0;
    for (const { id } of sessions.walk()) {
      visited += 1;
      if (visited % ROWS_PER_SLICE === 0) await setImmediate();
      if (this.#closed) return;
      const summary = sessions.find(id)?.summary;
      if (summary && summary.agentState !== 'idle' && !isLive(id)) await this.publish(id);
      if (this.#closed) return;
    }
  }

  /** Nothing is told after this; the next server catches up. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#pending);
  }

  async #publish(session: string): Promise<void> {
    const { data, sessions, isLive, published, log } = this.#options;
    const knownVersion = () => sessions.find(session)?.summary?.v ?? 0;
    const before = knownVersion();
    const state = await runInSlices(tail(data.session(session))).catch((error: unknown) => {
      log.warn('last words', { session, error });
      return undefined;
    });
    if (this.#closed) return;
    // A journal may have gone back behind what was told of it; but what was told meanwhile is newer than what was read.
    const now = knownVersion();
    if (state && !isLive(session) && (now === before || now <= state.v)) {
      sessions.recordSummary(session, summarize(state), { isLast: true });
    }
    published(session);
  }
}
