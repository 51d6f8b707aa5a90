/**
 * Projects and session rows for all pages: performs their commands (M4) and publishes changes. Conversation contents
 * do not pass through here.
 */
import type { AttemptsRow } from '@tugdeck/protocol/attempts/attempts';
import type { DeckHead, SessionRow } from '@tugdeck/protocol/wire/deck';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { AgentChoices } from '../agents/agent-choices.ts';
import type { Preferences } from '../agents/preferences.ts';
import { LIMITS } from '../limits.ts';
import type { DeckPush, MachineRequest } from '../port.ts';
import type { ProjectBranches } from '../projects/project-branches.ts';
import type { Projects } from '../projects/projects.ts';
import type { Adoption } from '../reader/adoption.ts';
import type { ExternalSessions } from '../reader/external-sessions.ts';
import { take } from '../take.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import type { FirstPrompts } from './first-prompts.ts';
import { mergeNewest } from './newest-first.ts';
import type { Sessions } from './sessions.ts';

export interface DeckServiceOptions {
  /** The id of this machine, for its rows. */
  readonly machine: string;
  readonly projects: Projects;
  readonly branches: Pick<ProjectBranches, 'of' | 'refresh'>;
  readonly sessions: Sessions;
  readonly workspaces: Pick<Workspaces, 'list' | 'create' | 'get' | 'forget'>;
  readonly external: ExternalSessions;
  readonly adoption: Adoption;
  readonly agents: AgentChoices;
  /** Where agents are looked up by default: the server's own environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly now: () => number;
  /** Starts a new session's host in the background (H1). */
  readonly startHost: (session: string) => void;
  /** Ends the host of a session that moved to the trash. */
  readonly endHost: (session: string) => void;
  /** Ends a session's host and waits until it is gone. */
  readonly releaseHost: (session: string) => Promise<void>;
  readonly firstPrompts: Pick<FirstPrompts, 'hold'>;
  readonly preferences: Preferences;
  /** Groups of attempts (B37). */
  readonly attempts: () => readonly AttemptsRow[];
  readonly limits: () => NonNullable<DeckHead['limits']>;
  /** Called when the user's trust in these projects changed. */
  readonly trustChanged: (projects: readonly string[]) => void;
}

const MAX_TITLE = 100;

export type DeckListener = (push: DeckPush) => void;

export class DeckService {
  readonly #options: DeckServiceOptions;
  readonly #listeners = new Set<DeckListener>();
  readonly #changedRows = new Set<string>();
  #rowTimer: NodeJS.Timeout | undefined;
  readonly #manyRows = new Set<string>();
  /** Rows of newly added projects that are still to be published. */
  readonly #projectRows = new Map<string, Iterator<string>>();
  #manyTimer: NodeJS.Immediate | undefined;
  #closed = false;

  constructor(options: DeckServiceOptions) {
    this.#options = options;
  }

  subscribe(listener: DeckListener): () => void {
    this.#listeners.add(listener);
    this.#readBranches();
    return () => this.#listeners.delete(listener);
  }

  head(): DeckHead {
    const { machine, projects, branches, agents, environment } = this.#options;
    const attempts = this.#options.attempts();
    const choices = agents.list(environment);
    return {
      projects: projects.list().map((project) => {
        const branch = branches.of(project.path);
        return { ...project, machine, ...(branch === undefined ? {} : { branch }) };
      }),
      agents: choices,
      defaultAgent: agents.defaultAmong(choices),
      limits: this.#options.limits(),
      workspaces: this.#options.workspaces.list().map((row) => {
        const branch = row.state === 'ready' ? branches.of(row.path) : undefined;
        return branch === undefined ? row : { ...row, branch };
      }),
      ...(attempts.length === 0 ? {} : { attempts: [...attempts] }),
    };
  }

  /**
   * All session ids, newest first, loaded lazily because there may be thousands. Sessions that became newest during
   * the iteration are repeated at the end.
   */
  *walk(project?: string): Generator<string> {
    const { sessions, external } = this.#options;
    const newest = () => mergeNewest(external.walk(project), sessions.walk(project));
    const now = this.#options.now();
    let began: number | undefined;
    for (const { id, activeAt } of newest()) {
      // Other machines' clocks may be ahead.
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
    // External sessions are in memory, so look there first; own sessions are only in the store.
    return ids.flatMap((id) => {
      const row = external.row(id) ?? sessions.find(id);
      return row ? [{ ...row, machine: this.#options.machine }] : [];
    });
  }

  isStored(session: string): boolean {
    const { sessions, adoption } = this.#options;
    if (sessions.find(session)) return true;
    if (adoption.isUnadopted(session)) return false;
    throw new CodedError('SESSION_NOT_FOUND');
  }

  async perform(command: MachineRequest): Promise<void> {
    const { projects, sessions } = this.#options;
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
        return this.publishProject(projects.place(command.project).project.id);
      case 'agent.prefer':
        projects.get(command.project);
        return this.#options.preferences.set(command);
      case 'session.create':
        sessions.create(command.session, command.project, command.agent, {
          from: command.from,
          workspace: await this.#workspaceFor(command),
          later: command.later,
        });
        return command.later ? this.#publishRow(command.session) : this.#started(command.session);
      case 'session.place':
        return this.#place(command);
      case 'session.fork':
        if (this.#options.adoption.isUnadopted(command.of)) {
          this.#options.adoption.fork(command.session, command.of, command.at);
        } else {
          const { project } = sessions.row(command.of);
          const workspace = await this.#workspaceFor({ project, workspace: command.workspace });
          sessions.fork(command.session, command.of, command.at, workspace);
        }
        return this.#started(command.session);
      case 'session.rename':
        this.#adopt(command.session);
        sessions.rename(command.session, command.title);
        return this.#publishRow(command.session);
      case 'session.archive':
        this.#adopt(command.session);
        sessions.archive(command.session, command.archived);
        return this.#publishRow(command.session);
      case 'session.delete':
        sessions.trash(command.session);
        this.#options.endHost(command.session);
        return this.#publishRow(command.session);
      case 'session.restore':
        sessions.restore(command.session);
        return this.#publishRow(command.session);
      case 'session.seen':
        sessions.markSeen(command.session, command.entries);
        return this.rowChanged(command.session);
    }
  }

  /** Moves a session without a message to another place (B1). Creating a workspace begins only now (B2). */
  async #place({ session, workspace, prompt }: Extract<MachineRequest, { type: 'session.place' }>) {
    const { sessions, workspaces, releaseHost, firstPrompts } = this.#options;
    sessions.assertUnstarted(session);
    const { project, workspace: before } = sessions.row(session);
    const next = await this.#workspaceFor({ project, workspace });
    if (next !== before) {
      await releaseHost(session);
      sessions.assertUnstarted(session);
      sessions.place(session, next);
      // One that could not be created left nothing behind but its row.
      if (before !== undefined && workspaces.get(before).state === 'failed') await workspaces.forget(before);
    }
    if (prompt) {
      sessions.setFallbackTitle(session, titleOf(prompt.text));
      firstPrompts.hold(session, prompt);
    }
    this.#publishRow(session);
  }

  /** The workspace of a new session, which may have to be created first (B2). */
  async #workspaceFor({
    project,
    workspace,
  }: Pick<Extract<MachineRequest, { type: 'session.create' }>, 'project' | 'workspace'>): Promise<
    string | undefined
  > {
    if (!workspace) return undefined;
    const { workspaces } = this.#options;
    const row = workspace.create
      ? await workspaces.create(project, workspace.create, workspace.id)
      : workspaces.get(workspace.id);
    if (row.project !== project) throw new CodedError('WORKSPACE_NOT_FOUND');
    return row.id;
  }

  /** Brings a project to the front on all pages, after `tugdeck DIR`. */
  show(project: string): void {
    this.publishProject(project);
    this.#publish({ type: 'show', project });
  }

  /** Everything but the session rows, which are published as they change. */
  publishHead(): void {
    this.#readBranches();
    this.branchesChanged();
  }

  /** Without reading them again: a branch that keeps changing would never let this end. */
  branchesChanged(): void {
    this.#publish({ type: 'deck', deck: this.head() });
  }

  /** A turn may have switched the branch. */
  turnEnded(session: string): void {
    const { branches, projects, sessions, workspaces } = this.#options;
    const { project, workspace } = sessions.find(session) ?? {};
    if (project === undefined) return;
    const own = workspaces.list().find(({ id }) => id === workspace);
    branches.refresh(own ? [own.path] : projects.directories(project));
  }

  /** A project was added: publish it together with its existing rows. */
  publishProject(project: string): void {
    this.#options.external.projectsChanged();
    this.publishHead();
    this.#projectRows.set(project, this.walk(project));
    this.rowsChanged([]);
  }

  /** Publishes many changed rows a few at a time, so that other work is not delayed. */
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

  /** Publishes a changed row; changes in quick succession are published once. */
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

  /** Renaming or archiving needs a stored row, also for external sessions. */
  #adopt(session: string): void {
    const { adoption, sessions } = this.#options;
    if (!sessions.find(session) && adoption.isUnadopted(session)) adoption.adopt(session);
  }

  #readBranches(): void {
    const { branches, projects } = this.#options;
    branches.refresh(projects.directories());
  }

  #started(session: string): void {
    this.#options.startHost(session);
    this.#publishRow(session);
  }

  #publishRow(session: string): void {
    const { machine, sessions } = this.#options;
    this.#publish({ type: 'session', row: { ...sessions.row(session), machine } });
  }

  #publishRows(): void {
    this.#rowTimer = undefined;
    for (const session of this.#changedRows) {
      try {
        this.#publishRow(session);
      } catch (error) {
        // A running host whose session is not in this database (the file was replaced).
        if (!(error instanceof CodedError)) throw error;
      }
    }
    this.#changedRows.clear();
  }

  #publish(push: DeckPush): void {
    for (const listener of this.#listeners) listener(push);
  }
}

/** Until the host reports one. */
function titleOf(text: string): string {
  return text.trim().split('\n', 1)[0]?.slice(0, MAX_TITLE) || 'New session';
}
