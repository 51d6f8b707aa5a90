/** From a session that only its agent has to one of ours (A40): go on with it, or in a copy while another writes it. */
import { existsSync } from 'node:fs';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { ForeignSession } from '@tugdeck/local/reader-link';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Sessions } from '../sessions/sessions.ts';
import type { ExternalSessions } from './external-sessions.ts';

export interface AdoptionOptions {
  readonly data: DataDirectory;
  readonly sessions: Sessions;
  readonly external: ExternalSessions;
  /** Who goes on with what an agent began. */
  readonly resumingAgent: (agent: string) => string;
  readonly isInUse: (session: string) => Promise<boolean>;
}

export class Adoption {
  readonly #options: AdoptionOptions;

  constructor(options: AdoptionOptions) {
    this.#options = options;
  }

  /** Whether the agent's file is all there is of it: also of one that was only renamed or archived here. */
  isUnadopted(session: string): boolean {
    const { external, data } = this.#options;
    return external.get(session) !== undefined && !existsSync(data.session(session).journal);
  }

  /** Refused while another program works in it: two writers would garble it. */
  async adoptForWriting(session: string): Promise<void> {
    if (!this.isUnadopted(session)) return;
    if (await this.#options.isInUse(session)) {
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
    sessions.setFallbackTitle(session, known.title, known.activeAt);
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
    const known = this.#options.external.get(session);
    const project = known && this.#options.external.projectOf(known.directory);
    if (!known || project === undefined) throw new CodedError('SESSION_NOT_FOUND');
    return { project, known, agent: this.#options.resumingAgent(known.agent) };
  }
}
