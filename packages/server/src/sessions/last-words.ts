/**
 * What a host that went may not have told: the last thing it did, from its journal. Read in slices, for several may go at
 * once; by the time it is read another host may run, or may have come and gone: then that one has told more.
 */
import { tail } from '@tugdeck/journal/reading';
import { inSlices } from '@tugdeck/journal/steps';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Log } from '@tugdeck/local/log';
import { summarize } from '@tugdeck/protocol/conversation/summarize';
import type { Sessions } from './sessions.ts';

export interface LastWordsOptions {
  readonly data: DataDirectory;
  readonly sessions: Pick<Sessions, 'find' | 'told'>;
  readonly isLive: (session: string) => boolean;
  /** The row is what it will be. */
  readonly told: (session: string) => void;
  readonly log: Pick<Log, 'warn'>;
}

export class LastWords {
  readonly #options: LastWordsOptions;
  readonly #underway = new Set<Promise<void>>();
  #closed = false;

  constructor(options: LastWordsOptions) {
    this.#options = options;
  }

  /** Resolves when it is told, whatever came of it. */
  readonly tell = (session: string): Promise<void> => {
    const work = this.#tell(session)
      .catch((error: unknown) => this.#options.log.warn('last words', { session, error }))
      .finally(() => this.#underway.delete(work));
    this.#underway.add(work);
    return work;
  };

  /** Nothing is told after this. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#underway);
  }

  async #tell(session: string): Promise<void> {
    const { data, sessions, isLive, told } = this.#options;
    const state = await inSlices(tail(data.session(session)));
    if (this.#closed) return;
    const known = sessions.find(session)?.summary?.v ?? 0;
    if (state && state.v >= known && !isLive(session)) {
      sessions.told(session, summarize(state), { isLast: true });
    }
    told(session);
  }
}
