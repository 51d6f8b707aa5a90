/**
 * The rows of sessions (S5): titles, activity, what their hosts tell. Knows how a session's host is started;
 * starting it is the pool's affair.
 */
import type { HostConfigInput } from '@tugdeck/local/host-config';
import { DEFAULT_TIMINGS, type Timings } from '@tugdeck/local/timings';
import type { Summary } from '@tugdeck/protocol/conversation/summarize';
import { configWords } from '@tugdeck/protocol/trust/config-words';
import type { SessionBegin, SessionRow } from '@tugdeck/protocol/wire/deck';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { AgentChoices, AgentLaunch } from '../agents/agent-choices.ts';
import { type Preferences, unattendedMode } from '../agents/preferences.ts';
import type { Projects } from '../projects/projects.ts';
import { spentBetween } from '../stats/spending.ts';
import type { DeferredWrites } from '../store/deferred-writes.ts';
import type { NewSession, SessionTable, StoredSession } from '../store/session-table.ts';
import type { Usage } from '../store/usage-table.ts';
import type { Trust } from '../trust/trust.ts';
import type { Dated } from './newest-first.ts';

export interface SessionsOptions {
  readonly table: SessionTable;
  readonly projects: Projects;
  readonly agents: AgentChoices;
  readonly trust: Trust;
  readonly preferences?: Preferences | undefined;
  /** For what no page asked for; without it, written at once or not at all. */
  readonly deferred?: Pick<DeferredWrites, 'run'>;
  readonly now: () => number;
  readonly isLive: (session: string) => boolean;
  /** One of ours goes on with this session of an agent's own. */
  readonly owned?: (agentSession: string) => void;
  /** What was used since the last word of it. */
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

export class Sessions {
  readonly #options: SessionsOptions;
  /** What hosts told; newer than what is stored. */
  readonly #summaries = new Map<string, Summary>();

  /** Ids of ours, and of the agents' own that ours went on with: no other row may show those. */
  readonly #owned: Set<string>;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#owned = new Set(options.table.ownedIds());
  }

  /** The agents' own that this one went on with. */
  agentSessions(id: string): string[] {
    return this.#options.table.agentSessions(id);
  }

  owns(session: string): boolean {
    return this.#owned.has(session);
  }

  list(): SessionRow[] {
    return this.#options.table.list().map((session) => this.#row(session));
  }

  /** Of all, or of one project, newest first; a part at a time, for there may be thousands. */
  *walk(project?: string): Generator<Dated> {
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

  /** Asking twice makes one. */
  create(
    id: string,
    project: string,
    agent: string,
    { from, byProgram }: { from?: SessionBegin | undefined; byProgram?: boolean } = {},
  ): void {
    if (this.#exists(id, (known) => known.project === project && known.agent === agent)) return;
    this.#assertUnclaimed(project, agent, from);
    this.#insert({ id, project, agent, begin: from, byProgram });
  }

  /** A copy of what the agent knows of a session, linked to it; the parent is not touched (A6). */
  fork(id: string, of: string, at?: string): void {
    if (this.#exists(id, (known) => known.parent === of)) return;
    const parent = this.#stored(of);
    const { project, agent } = parent;
    const agentSession = this.#summaries.get(of)?.agentSession || parent.agentSession;
    if (!agentSession) throw new CodedError('SESSION_EMPTY');
    const begin: SessionBegin = { kind: 'fork', id: agentSession, ...(at === undefined ? {} : { at }) };
    this.#insert({ id, project, agent, begin, parent: of });
    this.#options.table.rename(id, `${this.#row(parent).title.slice(0, MAX_TITLE)} (fork)`);
  }

  rename(id: string, title: string): void {
    const text = title.trim();
    if (text === '') throw new CodedError('INVALID_MESSAGE', 'A title needs at least one character.');
    this.#options.table.rename(this.#stored(id).id, text);
  }

  /** What it is called until its host says more. */
  setFallbackTitle(id: string, title: string, activeAt?: number): void {
    this.#options.table.setFallbackTitle(id, title, activeAt);
  }

  archive(id: string, archived: boolean): void {
    this.#options.table.archive(this.#stored(id).id, archived);
  }

  /** To the trash, from where it comes back as it was; emptied later (S5). */
  trash(id: string): void {
    this.#options.table.trash(this.#stored(id).id, this.#options.now());
  }

  restore(id: string): void {
    this.#options.table.trash(this.#stored(id).id, undefined);
  }

  /** Seeing less than before changes nothing: another page may have seen more. */
  markSeen(id: string, entries: number): void {
    this.#options.table.markSeen(this.#stored(id).id, entries);
  }

  /** Takes what a host says of its session. False if there is no such session. `isLast`: nobody will say more. */
  recordSummary(id: string, summary: Summary, { isLast = false } = {}): boolean {
    const stored = this.#options.table.get(id);
    if (!stored) return false;
    const before = this.#summaries.get(id) ?? stored.summary;
    this.#summaries.set(id, summary);
    const spent = spentBetween(before, summary);
    const { table, deferred = IMMEDIATELY } = this.#options;
    if (spent) deferred.run(() => this.#options.spent?.(id, spent, summary));
    const { agentSession } = summary;
    if (agentSession !== undefined && !this.#owned.has(agentSession)) {
      this.#owned.add(agentSession);
      deferred.run(() => table.recordAgentSession(id, agentSession));
      this.#options.owned?.(agentSession);
    }
    // Opening or warming a session is no activity; something said or done is.
    const isActivity = summary.entries > (before?.entries ?? 0) || summary.turn !== (before?.turn ?? 'idle');
    const activeAt = isActivity ? Math.max(stored.activeAt, summary.changedAt) : stored.activeAt;
    if (isLast || isActivity || spent || !before || differs(before, summary)) {
      deferred.run(() => table.summarize(id, summary, activeAt));
    }
    return true;
  }

  launch(id: string): HostConfigInput {
    if (this.#stored(id).trashedAt !== undefined)
      throw new CodedError('SESSION_NOT_FOUND', 'This session is in the trash.', 'Restore it to go on.');
    const { agent, project, begin, byProgram } = this.#stored(id);
    const { directory, environment } = this.#place(project);
    const { agents, host } = this.#options;
    const launch = agents.launch(agent, environment, directory);
    const trust = this.#trustFor(directory, launch);
    const preferred = this.#options.preferences?.get(project, agent) ?? {};
    const { env, plugins, directories, mcpServers, startTimeoutMs, untrustedStart: _, ...program } = launch;
    const model = preferred.model ?? launch.model;
    const chosen = preferred.mode ?? launch.mode;
    const mode = byProgram ? unattendedMode(agent, chosen) : chosen;
    return {
      ...host,
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

  /** The project configuration that the session's agent starts without, in words; nothing where there is none (X6). */
  skippedConfig(id: string): string | undefined {
    const { agent, project } = this.#stored(id);
    const { directory } = this.#place(project);
    const { agents, trust } = this.#options;
    if (agents.untrustedStart(agent, directory) !== 'driver') return undefined;
    const { state, seen } = trust.check(directory);
    return state === 'trusted' ? undefined : configWords(seen.findings) || undefined;
  }

  #exists(id: string, isSame: (known: StoredSession) => boolean): boolean {
    const known = this.#options.table.get(id);
    if (known && !isSame(known)) {
      throw new CodedError('INVALID_MESSAGE', 'This id belongs to another session.');
    }
    return known !== undefined;
  }

  /** Two sessions of ours that write to one of the agent's own would garble it. */
  #assertUnclaimed(project: string, agent: string, begin: SessionBegin | undefined): void {
    if (!begin || begin.kind === 'fork') return;
    const { table } = this.#options;
    const taken =
      begin.kind === 'resume'
        ? table.findByAgentSession(agent, begin.id ?? '')
        : table.list().find((row) => row.project === project && row.agent === agent && row.agentSession);
    if (!taken) return;
    const title = this.#row(taken).title;
    throw new CodedError('SESSION_TAKEN', `It is here already: “${title}”.`, 'Open that one, or fork it.');
  }

  #insert(session: Omit<NewSession, 'createdAt'>): void {
    const { directory, environment } = this.#place(session.project);
    this.#trustFor(directory, this.#options.agents.launch(session.agent, environment, directory));
    this.#options.table.insert({ ...session, createdAt: this.#options.now() });
    this.#owned.add(session.id);
  }

  /** What a host is told of the project's trust; refused where the agent would take up what nobody said yes to (X6). */
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
        ? `The configuration that ${label} would take from this project changed since you trusted it.`
        : undefined,
    );
  }

  #stored(id: string): StoredSession {
    const session = this.#options.table.get(id);
    if (!session) throw new CodedError('SESSION_NOT_FOUND');
    return session;
  }

  #place(project: string): { directory: string; environment: Readonly<Record<string, string>> } {
    const { projects } = this.#options;
    return { directory: projects.get(project).path, environment: projects.environment(project) };
  }

  #row(stored: StoredSession): SessionRow {
    const summary = this.#summaries.get(stored.id) ?? stored.summary;
    return {
      id: stored.id,
      project: stored.project,
      agent: stored.agent,
      title: stored.userTitle ?? summary?.title ?? stored.fallbackTitle ?? 'New session',
      createdAt: stored.createdAt,
      activeAt: stored.activeAt,
      archived: stored.archived,
      seen: stored.seen,
      ...(stored.trashedAt === undefined ? {} : { trashedAt: stored.trashedAt }),
      live: this.#options.isLive(stored.id),
      ...(stored.parent === undefined ? {} : { parent: stored.parent }),
      ...(summary === undefined ? {} : { summary }),
    };
  }
}

/** An agent that is known to be slow gets its time, unless the user has said how long. */
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
