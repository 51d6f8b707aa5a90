/** Adopts an external session into ours (A40), or forks it while another program is using it. */
import { existsSync } from 'node:fs';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { ExternalSession } from '@tugdeck/local/reader-link';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Sessions } from '../sessions/sessions.ts';
import type { ExternalSessions, SessionFolder } from './external-sessions.ts';

export interface AdoptionOptions {
  readonly data: DataDirectory;
  readonly sessions: Sessions;
  readonly external: ExternalSessions;
  /** The agent that can resume sessions of `agent`. */
  readonly resumingAgent: (agent: string) => string;
  readonly isInUse: (session: string) => Promise<boolean>;
}

export class Adoption {
  readonly #options: AdoptionOptions;

  constructor(options: AdoptionOptions) {
    this.#options = options;
  }

  /** Whether the agent's file is the only record of the session, also if it was only renamed or archived here. */
  isUnadopted(session: string): boolean {
    const { external, data } = this.#options;
    return external.get(session) !== undefined && !existsSync(data.session(session).journal);
  }

  /** Throws while another program is using the session: two writers would corrupt it. */
  async adoptForWriting(session: string): Promise<void> {
    if (!this.isUnadopted(session)) return;
    if (await this.#options.isInUse(session)) {
      throw new CodedError(
        'SESSION_LOCKED',
        'Another program is using this session.',
        'Fork it to continue in a copy, or close the other program first.',
      );
    }
    this.adopt(session);
  }

  /** Creates our row for the session; starts nothing. */
  adopt(session: string): void {
    const { sessions } = this.#options;
    if (sessions.find(session)) return;
    const { project, workspace, known, agent } = this.#find(session);
    const from = { kind: 'resume', id: known.session } as const;
    sessions.create(session, project, agent, { from, workspace });
    sessions.setFallbackTitle(session, known.title, known.activeAt);
  }

  /** Forks the session and leaves the other program alone. */
  fork(session: string, of: string, at?: string): void {
    const { sessions } = this.#options;
    const { project, workspace, known, agent } = this.#find(of);
    const from = { kind: 'fork', id: known.session, ...(at === undefined ? {} : { at }) } as const;
    sessions.create(session, project, agent, { from, workspace });
    sessions.rename(session, `${known.title} (fork)`);
  }

  #find(session: string): SessionFolder & { known: ExternalSession; agent: string } {
    const known = this.#options.external.get(session);
    const folder = known && this.#options.external.folderOf(known.directory);
    if (!known || !folder) throw new CodedError('SESSION_NOT_FOUND');
    return { ...folder, known, agent: this.#options.resumingAgent(known.agent) };
  }
}
