/**
 * The deck as all pages see it: answers what a page asks of projects, sessions and drafts (M4, the commands
 * that go to the server), and tells every page what changed. Conversation content never passes here.
 */
import type { DeckMessage, DeckRequest, Deck as DeckState } from '@tugdeck/protocol/wire/deck';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { AgentChoices } from '../agents/agent-choices.ts';
import { LIMITS } from '../limits.ts';
import type { Projects } from '../projects/projects.ts';
import type { DraftTable } from '../store/draft-table.ts';
import type { Sessions } from './sessions.ts';

export interface DeckOptions {
  readonly projects: Projects;
  readonly sessions: Sessions;
  readonly drafts: DraftTable;
  readonly agents: AgentChoices;
  /** Where agents are looked for in general: the server's own. */
  readonly environment: Readonly<Record<string, string>>;
  readonly now: () => number;
  /** A new session's host starts at once (H1); nobody waits for it. */
  readonly startHost: (session: string) => void;
}

/** What concerns the whole deck; `hello` and channels concern one page. */
export type DeckCommand = Exclude<DeckRequest, { type: 'hello' | 'channel.open' | 'channel.close' }>;
export type DeckListener = (message: DeckMessage) => void;

export class Deck {
  readonly #options: DeckOptions;
  readonly #listeners = new Set<DeckListener>();
  readonly #changedRows = new Set<string>();
  #rowTimer: NodeJS.Timeout | undefined;

  constructor(options: DeckOptions) {
    this.#options = options;
  }

  subscribe(listener: DeckListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  state(): DeckState {
    const { projects, sessions, agents, environment } = this.#options;
    return {
      projects: projects.list(),
      sessions: sessions.list(),
      agents: agents.list(environment),
      defaultAgent: agents.defaultAgent,
    };
  }

  drafts(): Record<string, string> {
    return this.#options.drafts.all();
  }

  async perform(command: DeckCommand): Promise<void> {
    const { projects, sessions, drafts, now } = this.#options;
    switch (command.type) {
      case 'project.add':
        await projects.add(command.path);
        return this.tellAll();
      case 'project.remove':
        projects.remove(command.project);
        return this.tellAll();
      case 'session.create':
        sessions.create(command.session, command.project, command.agent);
        this.#options.startHost(command.session);
        return this.#tell({ type: 'session', row: sessions.row(command.session) });
      case 'session.rename':
        sessions.rename(command.session, command.title);
        return this.#tell({ type: 'session', row: sessions.row(command.session) });
      case 'session.archive':
        sessions.archive(command.session, command.archived);
        return this.#tell({ type: 'session', row: sessions.row(command.session) });
      case 'draft.save':
        sessions.row(command.session);
        return drafts.save(command.session, command.text, now());
    }
  }

  /** Brings a project forward on all pages: another `tugdeck DIR` was called. */
  show(project: string): void {
    this.tellAll();
    this.#tell({ type: 'show', project });
  }

  tellAll(): void {
    this.#tell({ type: 'deck', deck: this.state() });
  }

  /** A row changed; told once for what changes in quick succession. */
  rowChanged(session: string): void {
    this.#changedRows.add(session);
    this.#rowTimer ??= setTimeout(() => this.#tellRows(), LIMITS.rowMs);
  }

  close(): void {
    clearTimeout(this.#rowTimer);
    this.#listeners.clear();
  }

  #tellRows(): void {
    this.#rowTimer = undefined;
    for (const session of this.#changedRows) {
      try {
        this.#tell({ type: 'session', row: this.#options.sessions.row(session) });
      } catch (error) {
        // A host of a session that this database does not know (another one was put in its place).
        if (!(error instanceof CodedError)) throw error;
      }
    }
    this.#changedRows.clear();
  }

  #tell(message: DeckMessage): void {
    for (const listener of this.#listeners) listener(message);
  }
}
