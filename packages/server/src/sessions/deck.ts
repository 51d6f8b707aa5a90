/**
 * The deck as all pages see it: answers what a page asks of projects, sessions and drafts (M4, the commands
 * that go to the server), and tells every page what changed. Conversation content never passes here.
 */
import type { DeckHead, DeckMessage, DeckRequest, KeysState, SessionRow } from '@tugdeck/protocol/wire/deck';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { AgentChoices } from '../agents/agent-choices.ts';
import type { Preferences } from '../agents/preferences.ts';
import type { KeysFile } from '../keys/keys-file.ts';
import { LIMITS } from '../limits.ts';
import { nextOf } from '../next-of.ts';
import type { Projects } from '../projects/projects.ts';
import type { ForeignSessions } from '../reader/foreign-sessions.ts';
import type { TakeOver } from '../reader/take-over.ts';
import type { DraftTable } from '../store/draft-table.ts';
import type { LayoutTable } from '../store/layout-table.ts';
import type { Choices } from './choices.ts';
import { mergeNewest } from './newest-first.ts';
import type { Sessions } from './sessions.ts';

export interface DeckOptions {
  readonly projects: Projects;
  readonly sessions: Sessions;
  readonly foreign: ForeignSessions;
  readonly takeOver: TakeOver;
  readonly drafts: DraftTable;
  readonly layouts: LayoutTable;
  readonly choices: Choices;
  readonly keys: Pick<KeysFile, 'state' | 'save'>;
  readonly agents: AgentChoices;
  /** Where agents are looked for in general: the server's own. */
  readonly environment: Readonly<Record<string, string>>;
  readonly now: () => number;
  /** A new session's host starts at once (H1); nobody waits for it. */
  readonly startHost: (session: string) => void;
  /** What is in the trash works no more. */
  readonly endHost: (session: string) => void;
  readonly preferences: Preferences;
  /** What agents may bring along from a project is decided anew. */
  readonly trustChanged: (projects: readonly string[]) => void;
}

/** The one layout there is today; the table has room for more. */
const LAYOUT = 'deck';

/** What concerns the whole deck; `hello` and channels concern one page. */
export type DeckCommand = Exclude<DeckRequest, { type: 'hello' | 'channel.open' | 'channel.close' }>;
export type DeckListener = (message: DeckMessage) => void;

export class Deck {
  readonly #options: DeckOptions;
  readonly #listeners = new Set<DeckListener>();
  readonly #changedRows = new Set<string>();
  #rowTimer: NodeJS.Timeout | undefined;
  readonly #manyRows = new Set<string>();
  /** Of projects that came: all their rows are still to be told. */
  readonly #walks = new Map<string, Iterator<string>>();
  #manyTimer: NodeJS.Immediate | undefined;
  #closed = false;

  constructor(options: DeckOptions) {
    this.#options = options;
  }

  subscribe(listener: DeckListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  head(): DeckHead {
    const { projects, agents, environment } = this.#options;
    const choices = agents.list(environment);
    return { projects: projects.list(), agents: choices, defaultAgent: agents.defaultAmong(choices) };
  }

  /**
   * All sessions, newest first; found and made into rows as they are told, for there may be thousands. Where something happened
   * on the way, what moved to the front comes at the end.
   */
  *walk(project?: string): Generator<string> {
    const { sessions, foreign } = this.#options;
    const newest = () => mergeNewest(foreign.walk(project), sessions.walk(project));
    const now = this.#options.now();
    let began: number | undefined;
    for (const { id, activeAt } of newest()) {
      // Some are dated by clocks that are ahead of ours.
      began ??= Math.min(activeAt, now);
      yield id;
    }
    for (const { id, activeAt } of newest()) {
      if (began === undefined || activeAt <= began) return;
      yield id;
    }
  }

  rows(ids: readonly string[]): SessionRow[] {
    const { sessions, foreign } = this.#options;
    // Those in memory first: thousands of others' sessions are no reason to ask the store for each. Of ours it knows none.
    return ids.map((id) => foreign.row(id) ?? sessions.find(id)).filter((row) => row !== undefined);
  }

  drafts(): Record<string, string> {
    return this.#options.drafts.all();
  }

  layout(): string | undefined {
    return this.#options.layouts.get(LAYOUT);
  }

  choices(): Record<string, string> {
    return this.#options.choices.all();
  }

  keys(): KeysState {
    return this.#options.keys.state;
  }

  async perform(command: DeckCommand): Promise<void> {
    const { projects, sessions, drafts, layouts, keys, now } = this.#options;
    switch (command.type) {
      case 'project.add':
        return this.tellProject((await projects.add(command.path)).id);
      case 'project.remove':
        projects.remove(command.project);
        this.#options.foreign.projectsChanged();
        return this.tellAll();
      case 'project.rename':
        projects.rename(command.project, command.name);
        return this.tellAll();
      case 'project.move':
        projects.move(command.project, command.before);
        return this.tellAll();
      case 'project.trust':
        this.#options.trustChanged(projects.decideTrust(command.project, command.trust, command.seen));
        return this.tellProject(command.project);
      case 'agent.prefer':
        projects.get(command.project);
        return this.#options.preferences.set(command);
      case 'session.create':
        sessions.create(command.session, command.project, command.agent, command);
        return this.#begun(command.session);
      case 'session.fork':
        if (this.#options.takeOver.isUntold(command.of)) {
          this.#options.takeOver.fork(command.session, command.of, command.at);
        } else sessions.fork(command.session, command.of, command.at);
        return this.#begun(command.session);
      case 'session.rename':
        this.#adopt(command.session);
        sessions.rename(command.session, command.title);
        return this.#tell({ type: 'session', row: sessions.row(command.session) });
      case 'session.archive':
        this.#adopt(command.session);
        sessions.archive(command.session, command.archived);
        return this.#tell({ type: 'session', row: sessions.row(command.session) });
      case 'session.delete':
        sessions.trash(command.session);
        this.#options.endHost(command.session);
        return this.#tell({ type: 'session', row: sessions.row(command.session) });
      case 'session.restore':
        sessions.restore(command.session);
        return this.#tell({ type: 'session', row: sessions.row(command.session) });
      case 'session.seen':
        sessions.see(command.session, command.entries);
        return this.rowChanged(command.session);
      case 'layout.save':
        return layouts.save(LAYOUT, command.version, command.layout, now());
      case 'choice.save':
        return this.#options.choices.save(command.name, command.value);
      case 'keys.save':
        return keys.save(command.keys);
      case 'draft.save':
        // Kept in the browser; what is typed does not make a session ours.
        if (!sessions.find(command.session) && this.#options.takeOver.isUntold(command.session)) return;
        sessions.row(command.session);
        return drafts.save(command.session, command.text, now());
    }
  }

  /** Brings a project forward on all pages: another `tugdeck DIR` was called. */
  show(project: string): void {
    this.tellProject(project);
    this.#tell({ type: 'show', project });
  }

  keysChanged(state: KeysState): void {
    this.#tell({ type: 'keys', ...state });
  }

  /** Everything but the rows, which are told as they change. */
  tellAll(): void {
    this.#tell({ type: 'deck', deck: this.head() });
  }

  /** A project came: with it the rows that were there before. */
  tellProject(project: string): void {
    this.#options.foreign.projectsChanged();
    this.tellAll();
    this.#walks.set(project, this.walk(project));
    this.rowsChanged([]);
  }

  /** Many rows came or went, or some that are not ours: told a few at a time, so that nothing else waits. */
  rowsChanged(ids: Iterable<string>): void {
    if (this.#closed) return;
    for (const id of ids) this.#manyRows.add(id);
    if (this.#manyRows.size + this.#walks.size > 0) {
      this.#manyTimer ??= setImmediate(() => this.#tellMany());
    }
  }

  #tellMany(): void {
    const ids = nextOf(this.#manyRows.values(), LIMITS.rows);
    for (const id of ids) this.#manyRows.delete(id);
    const room = LIMITS.rows - ids.length;
    const [[project, walk] = []] = this.#walks;
    const walked = walk ? nextOf(walk, room) : [];
    if (project !== undefined && walked.length < room) this.#walks.delete(project);
    ids.push(...walked);
    const rows = this.rows(ids);
    const told = new Set(rows.map(({ id }) => id));
    this.#tell({ type: 'rows', rows, gone: ids.filter((id) => !told.has(id)) });
    this.#manyTimer = undefined;
    this.rowsChanged([]);
  }

  /** A row changed; told once for what changes in quick succession. */
  rowChanged(session: string): void {
    if (this.#closed) return;
    this.#changedRows.add(session);
    this.#rowTimer ??= setTimeout(() => this.#tellRows(), LIMITS.rowMs);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#rowTimer);
    clearImmediate(this.#manyTimer);
    this.#listeners.clear();
  }

  /** What is kept of a session needs a row of ours, also of one that only its agent has. */
  #adopt(session: string): void {
    const { takeOver, sessions } = this.#options;
    if (!sessions.find(session) && takeOver.isUntold(session)) takeOver.adopt(session);
  }

  #begun(session: string): void {
    this.#options.startHost(session);
    this.#tell({ type: 'session', row: this.#options.sessions.row(session) });
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
