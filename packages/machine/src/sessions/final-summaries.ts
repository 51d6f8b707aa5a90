/**
 * Publishes a session's final summary from its journal after its host exited, because the host may not have sent it.
 * If another host has run since, its newer summary wins.
 */
import { setImmediate } from 'node:timers/promises';
import { tail } from '@tugdeck/journal/reading';
import { runInSlices } from '@tugdeck/local/cooperative';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Log } from '@tugdeck/local/log';
import { summarize } from '@tugdeck/protocol/conversation/summarize';
import type { Sessions } from './sessions.ts';

export interface FinalSummariesOptions {
  readonly data: DataDirectory;
  readonly sessions: Pick<Sessions, 'find' | 'recordSummary' | 'walk'>;
  readonly isLive: (session: string) => boolean;
  /** Called after the row is up to date. */
  readonly published: (session: string) => void;
  readonly log: Pick<Log, 'warn'>;
}

/** Rows checked before yielding to other work. */
const ROWS_PER_SLICE = 50;

export class FinalSummaries {
  readonly #options: FinalSummariesOptions;
  readonly #pending = new Set<Promise<void>>();
  #closed = false;

  constructor(options: FinalSummariesOptions) {
    this.#options = options;
  }

  /** Resolves when published; never rejects. */
  publish(session: string): Promise<void> {
    const work = this.#publish(session)
      .catch((error: unknown) => this.#options.log.warn('final summary', { session, error }))
      .finally(() => this.#pending.delete(work));
    this.#pending.add(work);
    return work;
  }

  /**
   * Publishes final summaries of sessions whose host ended while no server ran. Called once at startup; only rows
   * that are not idle can be outdated.
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

  /** Stops publishing; the next server catches up. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#pending);
  }

  async #publish(session: string): Promise<void> {
    const { data, sessions, isLive, published, log } = this.#options;
    const knownVersion = () => sessions.find(session)?.summary?.v ?? 0;
    const before = knownVersion();
    const state = await runInSlices(tail(data.session(session))).catch((error: unknown) => {
      log.warn('final summary', { session, error });
      return undefined;
    });
    if (this.#closed) return;
    // A truncated journal may be older than the stored summary. But if a newer summary arrived while we read, keep
    // that.
    const now = knownVersion();
    if (state && !isLive(session) && (now === before || now <= state.v)) {
      sessions.recordSummary(session, summarize(state), { isLast: true });
    }
    published(session);
  }
}
