/**
 * Session rows (S5): titles, activity and summaries from hosts. Builds a host's start configuration; the pool starts
 * it.
 */
import type { HostConfigInput } from '@tugdeck/local/host-config';
import { DEFAULT_TIMINGS, type Timings } from '@tugdeck/local/timings';
import type { Summary } from '@tugdeck/protocol/conversation/summarize';
import { describeConfig } from '@tugdeck/protocol/trust/config-summary';
import type { SessionBegin, SessionRow } from '@tugdeck/protocol/wire/deck';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { DeferredWrites } from '@tugdeck/store/deferred-writes';
import type { NewSession, SessionTable, StoredSession } from '@tugdeck/store/session-table';
import type { Usage } from '@tugdeck/store/usage-table';
import type { AgentChoices, AgentLaunch } from '../agents/agent-choices.ts';
import { type Preference, type Preferences, unattendedMode } from '../agents/preferences.ts';
import type { Place, Projects } from '../projects/projects.ts';
import { usageBetween } from '../stats/spending.ts';
import type { Trust } from '../trust/trust.ts';
import type { DatedSession } from './newest-first.ts';

export interface SessionsOptions {
  readonly table: SessionTable;
  readonly projects: Projects;
  readonly agents: AgentChoices;
  readonly trust: Trust;
  readonly preferences?: Preferences | undefined;
  /** Retries writes that no page requested. Without it they are written at once or fail. */
  readonly deferred?: Pick<DeferredWrites, 'run'>;
  readonly now: () => number;
  readonly isLive: (session: string) => boolean;
  /** Hosts wait for a slot before each turn (D40). Not without a server. */
  readonly grantsSlots?: boolean;
  /** Mode and model that the user chose for this session, if not the defaults (B37). */
  readonly choiceOf?: (id: string) => Preference;
  /** Usage since the previous summary. */
  readonly spent?: (id: string, spent: Usage, summary: Summary) => void;
  readonly host: {
    readonly dataDirectory: string;
    readonly runtimeDirectory: string;
    readonly timings: Timings;
    readonly logLevel: HostConfigInput['logLevel'];
  };
}

const MAX_TITLE = 190;
const BATCH = 200;
const IMMEDIATELY = { run: (write: () => void) => write() };

interface CreateOptions {
  readonly from?: SessionBegin | undefined;
  readonly byProgram?: boolean | undefined;
  readonly workspace?: string | undefined;
  /** The agent starts when the user begins to write (D43). */
  readonly later?: boolean | undefined;
}

export class Sessions {
  readonly #options: SessionsOptions;
  /** The latest summaries from hosts; newer than the stored ones. */
  readonly #summaries = new Map<string, Summary>();

  /** Sessions whose first message waits for their workspace. */
  readonly #pending = new Set<string>();

  /** Our session ids, and the agent sessions that ours resumed: these must not be listed a second time. */
  readonly #owned: Set<string>;
  readonly #ownedListeners = new Set<(agentSession: string) => void>();

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#owned = new Set(options.table.ownedIds());
  }

  /** Calls `listener` when one of our sessions resumes another agent session. */
  onOwned(listener: (agentSession: string) => void): void {
    this.#ownedListeners.add(listener);
  }

  /** The agent sessions that this session resumed. */
  agentSessions(id: string): string[] {
    return this.#options.table.agentSessions(id);
  }

  owns(session: string): boolean {
    return this.#owned.has(session);
  }

  list(): SessionRow[] {
    return this.#options.table.list().map((session) => this.#row(session));
  }

  /** Ids of all sessions or of one project, newest first, loaded in batches. */
  *walk(project?: string): Generator<DatedSession> {
    const { table } = this.#options;
    let part = table.newest({ limit: BATCH, project });
    for (let after = part.at(-1); after; after = part.at(-1)) {
      yield* part;
      part = table.newest({ limit: BATCH, project, after });
    }
  }

  find(id: string): SessionRow | undefined {
    const stored = this.#options.table.get(id);
    return stored && this.#row(stored);
  }

  row(id: string): SessionRow {
    return this.#row(this.#stored(id));
  }

  /** Idempotent for the same id. */
  create(
    id: string,
    project: string,
    agent: string,
    { from, byProgram, workspace, later }: CreateOptions = {},
  ): void {
    if (this.#exists(id, (known) => known.project === project && known.agent === agent)) return;
    this.#assertUnclaimed(project, agent, from);
    this.#insert({ id, project, agent, begin: from, byProgram, workspace }, later);
  }

  /** Forks the agent's session; the parent is not changed (A6). Works where the parent does, unless a workspace is named. */
  fork(id: string, of: string, at?: string, into?: string): void {
    if (this.#exists(id, (known) => known.parent === of)) return;
    const parent = this.#stored(of);
    const { project, agent, workspace } = parent;
    const agentSession = this.#summaries.get(of)?.agentSession || parent.agentSession;
    if (!agentSession) throw new CodedError('SESSION_EMPTY');
    const begin: SessionBegin = { kind: 'fork', id: agentSession, ...(at === undefined ? {} : { at }) };
    this.#insert({ id, project, agent, begin, parent: of, workspace: into ?? workspace });
    this.#options.table.rename(id, `${this.#row(parent).title.slice(0, MAX_TITLE)} (fork)`);
  }

  /** Throws unless the session has no message yet: only then it can start somewhere else (B1). */
  assertUnstarted(id: string): void {
    const { parent, begin, summary: stored } = this.#stored(id);
    const { entries = 0, queued = 0, turn = 'idle' } = this.#summaries.get(id) ?? stored ?? {};
    if (entries > 0 || queued > 0 || turn !== 'idle' || parent !== undefined || begin !== undefined)
      throw new CodedError('INVALID_MESSAGE', 'This session already has messages.');
  }

  /** Throws why no session with this agent can start in the project. */
  assertStartable(project: string, agent: string): void {
    const { directory, environment } = this.#locationOf(project);
    this.#trustFor(directory, this.#options.agents.launch(agent, environment, directory));
  }

  /** Where the session works from now on. Its host must have ended. */
  place(id: string, workspace: string | undefined): void {
    this.#options.table.place(this.#stored(id).id, workspace);
  }

  /** Whether the session's first message waits for its workspace (B3). */
  markPending(id: string, isPending: boolean): void {
    if (isPending) this.#pending.add(id);
    else this.#pending.delete(id);
  }

  rename(id: string, title: string): void {
    const text = title.trim();
    if (text === '') throw new CodedError('INVALID_MESSAGE', 'A title needs at least one character.');
    this.#options.table.rename(this.#stored(id).id, text);
  }

  /** Where it works from its next start on (B74). */
  move(id: string, workspace: string | undefined): void {
    this.#options.table.move(this.#stored(id).id, workspace);
  }

  /** The title until the host reports one. */
  setFallbackTitle(id: string, title: string, activeAt?: number): void {
    this.#options.table.setFallbackTitle(id, title, activeAt);
  }

  archive(id: string, archived: boolean): void {
    this.#options.table.archive(this.#stored(id).id, archived);
  }

  /** Moves the session to the trash, from where it can be restored until the trash is emptied (S5). */
  trash(id: string): void {
    this.#options.table.trash(this.#stored(id).id, this.#options.now());
  }

  restore(id: string): void {
    this.#options.table.trash(this.#stored(id).id, undefined);
  }

  /** Never decreases: another page may have seen more. */
  markSeen(id: string, entries: number): void {
    this.#options.table.markSeen(this.#stored(id).id, entries);
  }

  /** Records a host's summary. Returns false for an unknown session. `isLast`: no further summary will come. */
  recordSummary(id: string, summary: Summary, { isLast = false } = {}): boolean {
    const stored = this.#options.table.get(id);
    if (!stored) return false;
    const before = this.#summaries.get(id) ?? stored.summary;
    this.#summaries.set(id, summary);
    const spent = usageBetween(before, summary);
    const { table, deferred = IMMEDIATELY } = this.#options;
    if (spent) deferred.run(() => this.#options.spent?.(id, spent, summary));
    const { agentSession } = summary;
    if (agentSession !== undefined && !this.#owned.has(agentSession)) {
      this.#owned.add(agentSession);
      deferred.run(() => table.recordAgentSession(id, agentSession));
      for (const listener of this.#ownedListeners) listener(agentSession);
    }
    // Opening a session is not activity; new entries and turns are.
    const isActivity = summary.entries > (before?.entries ?? 0) || summary.turn !== (before?.turn ?? 'idle');
    const activeAt = isActivity ? Math.max(stored.activeAt, summary.changedAt) : stored.activeAt;
    if (isLast || isActivity || spent || !before || differs(before, summary)) {
      deferred.run(() => table.summarize(id, summary, activeAt));
    }
    return true;
  }

  launch(id: string): HostConfigInput {
    if (this.#stored(id).trashedAt !== undefined)
      throw new CodedError('SESSION_NOT_FOUND', 'This session is in the trash.', 'Restore it to continue.');
    const { agent, project, begin, byProgram, workspace } = this.#stored(id);
    const { directory, environment, settings } = this.#locationOf(workspace ?? project);
    const { agents, host } = this.#options;
    const launch = agents.launch(agent, environment, settings);
    const trust = this.#trustFor(directory, launch);
    const own = this.#options.choiceOf?.(id);
    const preferred = { ...this.#options.preferences?.get(project, agent), ...own };
    const { env, plugins, directories, mcpServers, startTimeoutMs, untrustedStart: _, ...program } = launch;
    const model = preferred.model ?? launch.model;
    const chosen = preferred.mode ?? launch.mode;
    const mode = byProgram ? unattendedMode(agent, chosen) : chosen;
    return {
      ...host,
      ...(this.#options.grantsSlots ? { slots: true } : {}),
      session: id,
      agent: program,
      directory,
      environment: { ...environment, ...env },
      directories,
      mcpServers,
      plugins,
      timings: withStartTimeout(host.timings, startTimeoutMs),
      ...(begin ? { from: begin } : {}),
      ...trust,
      ...(mode === undefined ? {} : { mode }),
      ...(model === undefined ? {} : { model }),
    };
  }

  /**
   * Summary of the project configuration that the session's agent starts without; undefined if there is none (X6).
   */
  skippedConfig(id: string): string | undefined {
    const { agent, project, workspace } = this.#stored(id);
    const { directory, settings } = this.#locationOf(workspace ?? project);
    const { agents, trust } = this.#options;
    if (agents.untrustedStart(agent, settings) !== 'driver') return undefined;
    const { state, seen } = trust.check(directory);
    return state === 'trusted' ? undefined : describeConfig(seen.findings) || undefined;
  }

  #exists(id: string, isSame: (known: StoredSession) => boolean): boolean {
    const known = this.#options.table.get(id);
    if (known && !isSame(known)) {
      throw new CodedError('INVALID_MESSAGE', 'This id belongs to another session.');
    }
    return known !== undefined;
  }

  /** Two sessions writing to the same agent session would corrupt it. */
  #assertUnclaimed(project: string, agent: string, begin: SessionBegin | undefined): void {
    if (!begin || begin.kind === 'fork') return;
    const { table } = this.#options;
    const taken =
      begin.kind === 'resume'
        ? table.findByAgentSession(agent, begin.id ?? '')
        : table.list().find((row) => row.project === project && row.agent === agent && row.agentSession);
    if (!taken) return;
    const title = this.#row(taken).title;
    throw new CodedError(
      'SESSION_TAKEN',
      `This session is already here: “${title}”.`,
      'Open it, or fork it.',
    );
  }

  /** `later`: nothing starts yet, so trust is only checked when the host does. */
  #insert(session: Omit<NewSession, 'createdAt'>, later = false): void {
    // A workspace may not be on disk yet: its own configuration is checked before the agent starts.
    const { directory, environment } = this.#locationOf(session.project);
    const launch = this.#options.agents.launch(session.agent, environment, directory);
    if (!later) this.#trustFor(directory, launch);
    this.#options.table.insert({ ...session, createdAt: this.#options.now() });
    this.#owned.add(session.id);
  }

  /** The host's trust settings. Throws if the agent would read configuration that the user has not trusted (X6). */
  #trustFor(
    directory: string,
    { untrustedStart, label }: AgentLaunch,
  ): Pick<HostConfigInput, 'untrusted' | 'trusted'> {
    const { trust } = this.#options;
    const { state, seen } = trust.check(directory);
    if (state === 'trusted') return { trusted: { hash: seen.hash, home: trust.home } };
    if (untrustedStart) return { untrusted: true };
    throw new CodedError(
      'PROJECT_UNTRUSTED',
      state === 'changed'
        ? `The configuration that ${label} reads from this project has changed since you trusted it.`
        : undefined,
    );
  }

  #stored(id: string): StoredSession {
    const session = this.#options.table.get(id);
    if (!session) throw new CodedError('SESSION_NOT_FOUND');
    return session;
  }

  /** `settings` is the path that the user's settings are for, also in a workspace. */
  #locationOf(place: string): Pick<Place, 'directory' | 'environment'> & { readonly settings: string } {
    const { directory, environment, project } = this.#options.projects.place(place);
    return { directory, environment, settings: project.path };
  }

  #row(stored: StoredSession): SessionRow {
    const summary = this.#summaries.get(stored.id) ?? stored.summary;
    return {
      id: stored.id,
      project: stored.project,
      ...(stored.workspace === undefined ? {} : { workspace: stored.workspace }),
      agent: stored.agent,
      title: stored.userTitle ?? summary?.title ?? stored.fallbackTitle ?? 'New session',
      createdAt: stored.createdAt,
      activeAt: stored.activeAt,
      archived: stored.archived,
      seen: stored.seen,
      ...(stored.trashedAt === undefined ? {} : { trashedAt: stored.trashedAt }),
      live: this.#options.isLive(stored.id),
      ...(this.#pending.has(stored.id) ? { pending: true } : {}),
      ...(stored.parent === undefined ? {} : { parent: stored.parent }),
      ...(summary === undefined ? {} : { summary }),
    };
  }
}

/** Slow agents get more time to start, unless the user configured a timeout. */
function withStartTimeout(timings: Timings, startTimeoutMs: number | undefined): Timings {
  const isUsual = timings.startTimeoutMs === DEFAULT_TIMINGS.startTimeoutMs;
  return startTimeoutMs === undefined || !isUsual ? timings : { ...timings, startTimeoutMs };
}

function differs(a: Summary, b: Summary): boolean {
  return (
    a.title !== b.title ||
    a.agentSession !== b.agentSession ||
    a.agentState !== b.agentState ||
    a.turn !== b.turn ||
    a.lastTurn !== b.lastTurn ||
    a.waiting !== b.waiting
  );
}
