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
import type { Projects } from '../projects/projects.ts';
import type { Adoption } from '../reader/adoption.ts';
import type { ExternalSessions } from '../reader/external-sessions.ts';
import type { DraftTable } from '../store/draft-table.ts';
import type { LayoutTable } from '../store/layout-table.ts';
import { take } from '../take.ts';
import type { Choices } from './choices.ts';
import { mergeNewest } from './newest-first.ts';
import type { Sessions } from './sessions.ts';

export interface DeckServiceOptions {
  readonly projects: Projects;
  readonly sessions: Sessions;
  readonly external: ExternalSessions;
  readonly adoption: Adoption;
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

export class DeckService {
  readonly #options: DeckServiceOptions;
  readonly #listeners = new Set<DeckListener>();
  readonly #changedRows = new Set<string>();
  #rowTimer: NodeJS.Timeout | undefined;
  readonly #manyRows = new Set<string>();
  /** Of projects that came: all their rows are still to be told. */
  readonly #projectRows = new Map<string, Iterator<string>>();
  #manyTimer: NodeJS.Immediate | undefined;
  #closed = false;

  constructor(options: DeckServiceOptions) {
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
    const { sessions, external } = this.#options;
    const newest = () => mergeNewest(external.walk(project), sessions.walk(project));
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
    const { sessions, external } = this.#options;
    // Those in memory first: thousands of others' sessions are no reason to ask the store for each. Of ours it knows none.
    return ids.map((id) => external.row(id) ?? sessions.find(id)).filter((row) => row !== undefined);
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
        return this.publishProject((await projects.add(command.path)).id);
      case 'project.remove':
        projects.remove(command.project);
        this.#options.external.projectsChanged();
        return this.publishHead();
      case 'project.rename':
        projects.rename(command.project, command.name);
        return this.publishHead();
      case 'project.move':
        projects.move(command.project, command.before);
        return this.publishHead();
      case 'project.trust':
        this.#options.trustChanged(projects.decideTrust(command.project, command.trust, command.seen));
        return this.publishProject(command.project);
      case 'agent.prefer':
        projects.get(command.project);
        return this.#options.preferences.set(command);
      case 'session.create':
        sessions.create(command.session, command.project, command.agent, command);
        return this.#started(command.session);
      case 'session.fork':
        if (this.#options.adoption.isUnadopted(command.of)) {
          this.#options.adoption.fork(command.session, command.of, command.at);
        } else sessions.fork(command.session, command.of, command.at);
        return this.#started(command.session);
      case 'session.rename':
        this.#adopt(command.session);
        sessions.rename(command.session, command.title);
        return this.#publish({ type: 'session', row: sessions.row(command.session) });
      case 'session.archive':
        this.#adopt(command.session);
        sessions.archive(command.session, command.archived);
        return this.#publish({ type: 'session', row: sessions.row(command.session) });
      case 'session.delete':
        sessions.trash(command.session);
        this.#options.endHost(command.session);
        return this.#publish({ type: 'session', row: sessions.row(command.session) });
      case 'session.restore':
        sessions.restore(command.session);
        return this.#publish({ type: 'session', row: sessions.row(command.session) });
      case 'session.seen':
        sessions.markSeen(command.session, command.entries);
        return this.rowChanged(command.session);
      case 'layout.save':
        return layouts.save(LAYOUT, command.version, command.layout, now());
      case 'choice.save':
        return this.#options.choices.save(command.name, command.value);
      case 'keys.save':
        return keys.save(command.keys);
      case 'draft.save':
        // Kept in the browser; what is typed does not make a session ours.
        if (!sessions.find(command.session) && this.#options.adoption.isUnadopted(command.session)) return;
        sessions.row(command.session);
        return drafts.save(command.session, command.text, now());
    }
  }

  /** Brings a project forward on all pages: another `tugdeck DIR` was called. */
  show(project: string): void {
    this.publishProject(project);
    this.#publish({ type: 'show', project });
  }

  keysChanged(state: KeysState): void {
    this.#publish({ type: 'keys', ...state });
  }

  /** Everything but the rows, which are told as they change. */
  publishHead(): void {
    this.#publish({ type: 'deck', deck: this.head() });
  }

  /** A project came: with it the rows that were there before. */
  publishProject(project: string): void {
    this.#options.external.projectsChanged();
    this.publishHead();
    this.#projectRows.set(project, this.walk(project));
    this.rowsChanged([]);
  }

  /** Many rows came or went, or some that are not ours: told a few at a time, so that nothing else waits. */
  rowsChanged(ids: Iterable<string>): void {
    if (this.#closed) return;
    for (const id of ids) this.#manyRows.add(id);
    if (this.#manyRows.size + this.#projectRows.size > 0) {
      this.#manyTimer ??= setImmediate(() => this.#publishMany());
    }
  }

  #publishMany(): void {
    const ids = take(this.#manyRows.values(), LIMITS.rows);
    for (const id of ids) this.#manyRows.delete(id);
    const capacity = LIMITS.rows - ids.length;
    const [[project, walk] = []] = this.#projectRows;
    const walked = walk ? take(walk, capacity) : [];
    if (project !== undefined && walked.length < capacity) this.#projectRows.delete(project);
    ids.push(...walked);
    const rows = this.rows(ids);
    const found = new Set(rows.map(({ id }) => id));
    this.#publish({ type: 'rows', rows, gone: ids.filter((id) => !found.has(id)) });
    this.#manyTimer = undefined;
    this.rowsChanged([]);
  }

  /** A row changed; told once for what changes in quick succession. */
  rowChanged(session: string): void {
    if (this.#closed) return;
    this.#changedRows.add(session);
    this.#rowTimer ??= setTimeout(() => this.#publishRows(), LIMITS.rowMs);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#rowTimer);
    clearImmediate(this.#manyTimer);
    this.#listeners.clear();
  }

  /** What is kept of a session needs a row of ours, also of one that only its agent has. */
  #adopt(session: string): void {
    const { adoption, sessions } = this.#options;
    if (!sessions.find(session) && adoption.isUnadopted(session)) adoption.adopt(session);
  }

  #started(session: string): void {
    this.#options.startHost(session);
    this.#publish({ type: 'session', row: this.#options.sessions.row(session) });
  }

  #publishRows(): void {
    this.#rowTimer = undefined;
    for (const session of this.#changedRows) {
      try {
        this.#publish({ type: 'session', row: this.#options.sessions.row(session) });
      } catch (error) {
        // A host of a session that this database does not know (another one was put in its place).
        if (!(error instanceof CodedError)) throw error;
      }
    }
    this.#changedRows.clear();
  }

  #publish(message: DeckMessage): void {
    for (const listener of this.#listeners) listener(message);
  }
}
