/** From a session that only its agent has to one of ours (A40): go on with it, or in a copy while another writes it. */
import { existsSync } from 'node:fs';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { ForeignSession } from '@tugdeck/local/reader-link';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Sessions } from '../sessions/sessions.ts';
import type { ForeignSessions } from './foreign-sessions.ts';

export interface TakeOverOptions {
  readonly data: DataDirectory;
  readonly sessions: Sessions;
  readonly foreign: ForeignSessions;
  /** Who goes on with what an agent began. */
  readonly keeperOf: (agent: string) => string;
  readonly isHeld: (session: string) => Promise<boolean>;
}

export class TakeOver {
  readonly #options: TakeOverOptions;

  constructor(options: TakeOverOptions) {
    this.#options = options;
  }

  /** Whether the agent's file is all there is of it: also of one that was only renamed or archived here. */
  isUntold(session: string): boolean {
    const { foreign, data } = this.#options;
    return foreign.get(session) !== undefined && !existsSync(data.session(session).journal);
  }

  /** Refused while another program works in it: two writers would garble it. */
  async takeOver(session: string): Promise<void> {
    if (!this.isUntold(session)) return;
    if (await this.#options.isHeld(session)) {
      throw new CodedError(
        'SESSION_LOCKED',
        'Another program works in this session.',
        'Fork it to go on in a copy, or end the other program first.',
      );
    }
    this.adopt(session);
  }

  /** One of ours from now on; starts nothing. */
  adopt(session: string): void {
    const { sessions } = this.#options;
    if (sessions.find(session)) return;
    const { project, known, agent } = this.#place(session);
    const from = { kind: 'resume', id: known.session } as const;
    sessions.create(session, project, agent, { from });
    sessions.titled(session, known.title, known.activeAt);
  }

  /** A copy, which leaves the other program alone. */
  fork(session: string, of: string, at?: string): void {
    const { sessions } = this.#options;
    const { project, known, agent } = this.#place(of);
    const from = { kind: 'fork', id: known.session, ...(at === undefined ? {} : { at }) } as const;
    sessions.create(session, project, agent, { from });
    sessions.rename(session, `${known.title} (fork)`);
  }

  #place(session: string): { project: string; known: ForeignSession; agent: string } {
    const known = this.#options.foreign.get(session);
    const project = known && this.#options.foreign.projectOf(known.directory);
    if (!known || project === undefined) throw new CodedError('SESSION_NOT_FOUND');
    return { project, known, agent: this.#options.keeperOf(known.agent) };
  }
}
