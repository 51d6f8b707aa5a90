/**
 * Composition root: creates the server's services and routes host summaries to the session list. Knows nothing of
 * HTTP or sockets.
 */
import { homedir } from 'node:os';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Ledger } from '@tugdeck/local/ledger';
import type { Log, LogLevel } from '@tugdeck/local/log';
import type { Timings } from '@tugdeck/local/timings';
import type { TerminalLaunch } from '@tugdeck/protocol/terminal/terminal-link';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import { DeferredWrites } from '@tugdeck/store/deferred-writes';
import type { Store } from '@tugdeck/store/store';
import { AgentChoices } from './agents/agent-choices.ts';
import { agentSettings } from './agents/agent-settings.ts';
import { Preferences } from './agents/preferences.ts';
import { cleanEnvironment } from './clean-environment.ts';
import type { Configuration } from './configuration.ts';
import { FileService } from './files/file-service.ts';
import { GitRegistry } from './git/git-registry.ts';
import { HostPool } from './hosts/host-pool.ts';
import { HostStarter } from './hosts/host-starter.ts';
import { KeysFile } from './keys/keys-file.ts';
import type { Programs } from './programs.ts';
import { Projects } from './projects/projects.ts';
import { Adoption } from './reader/adoption.ts';
import { ExternalSessions } from './reader/external-sessions.ts';
import { ExternalTurns } from './reader/external-turns.ts';
import { ownSessions } from './reader/own-sessions.ts';
import { ReaderProcess } from './reader/reader-process.ts';
import { ReviewRegistry } from './review/review-registry.ts';
import { Choices } from './sessions/choices.ts';
import { DeckService } from './sessions/deck-service.ts';
import { FinalSummaries } from './sessions/final-summaries.ts';
import { Sessions } from './sessions/sessions.ts';
import { readAgentFiles } from './settings/agent-files.ts';
import { LiveConfiguration } from './settings/live-configuration.ts';
import { LiveServers } from './settings/live-servers.ts';
import type { SettingsOptions } from './settings/settings-area.ts';
import { Builds } from './stats/builds.ts';
import { Sampler } from './stats/sampler.ts';
import { dayOf } from './stats/spending.ts';
import type { StatsOptions } from './stats/stats-area.ts';
import { agentTerminalLaunch } from './terminals/agent-terminal.ts';
import { Terminals } from './terminals/terminals.ts';
import { Trust } from './trust/trust.ts';

export interface ServicesOptions {
  readonly data: DataDirectory;
  readonly runtime: string;
  readonly store: Store;
  readonly ledger: Ledger;
  readonly programs: Programs;
  readonly configuration: Configuration;
  readonly environment: NodeJS.ProcessEnv;
  readonly timings: Timings;
  readonly logLevel: LogLevel;
  readonly log: Log;
  readonly now: () => number;
}

export interface Services {
  readonly projects: Projects;
  readonly trust: Trust;
  readonly agents: AgentChoices;
  readonly sessions: Sessions;
  readonly deferred: DeferredWrites;
  readonly external: ExternalSessions;
  readonly reader: ReaderProcess;
  readonly adoption: Adoption;
  readonly externalTurns: ExternalTurns;
  readonly pool: HostPool;
  readonly starter: HostStarter;
  readonly finalSummaries: FinalSummaries;
  readonly deck: DeckService;
  readonly git: GitRegistry;
  readonly review: ReviewRegistry;
  readonly stats: StatsOptions;
  readonly settings: SettingsOptions;
  readonly files: FileService;
  readonly terminals: Terminals;
  /**
   * How to start the agent's own terminal interface for a session (A41). Our host has released the session by then.
   */
  readonly agentTerminal: (session: string) => Promise<TerminalLaunch>;
  readonly keys: KeysFile;
}

const MAX_LIVE_HOSTS = 8;

export function createServices(options: ServicesOptions): Services {
  const { data, runtime, store, ledger, programs, configuration, timings, logLevel, log, now } = options;
  const environment = cleanEnvironment(options.environment);
  const agents = new AgentChoices(configuration, programs.agents);
  if (configuration.agent !== undefined && !agents.has(configuration.agent)) {
    throw new CodedError('AGENT_UNAVAILABLE', `Unknown agent: ${configuration.agent}.`);
  }
  const home = environment.HOME ?? homedir();
  const trust = new Trust({ table: store.trust, dataRoot: data.root, home, now });
  const projects = new Projects(store.projects, trust, now, environment);
  const preferences = new Preferences(store.settings);
  const deferred = new DeferredWrites(log);
  const sessions = new Sessions({
    table: store.sessions,
    deferred,
    preferences,
    projects,
    agents,
    trust,
    now,
    isLive: (session) => pool.isLive(session),
    owned: (agentSession) => {
      const row = external.find(agentSession);
      if (row) deck.rowsChanged([row.id]);
    },
    spent: (id, spent, { changedAt, model }) => store.usage.add(dayOf(changedAt), id, model ?? '', spent),
    host: { dataDirectory: data.root, runtimeDirectory: runtime, timings, logLevel },
  });
  const starter = new HostStarter(programs.starter);
  const pool = new HostPool({
    data,
    ledger,
    start: starter.start,
    program: programs.host,
    maxLive: configuration.maxLiveHosts ?? MAX_LIVE_HOSTS,
    timings,
    log,
    now,
    launch(session) {
      // Two programs writing to the same agent session would corrupt it.
      if (terminals.holds(session)) {
        throw new CodedError(
          'SESSION_LOCKED',
          "This session is open in the agent's own terminal interface.",
          'Close it there to continue here.',
        );
      }
      return sessions.launch(session);
    },
  });
  const terminals = new Terminals({
    data,
    ledger,
    start: starter.start,
    program: programs.terminals,
    config: { dataDirectory: data.root, runtimeDirectory: runtime, timings, logLevel },
    timings,
    log,
  });
  const external = new ExternalSessions({
    projects: () => projects.list(),
    isOwn: ({ id, session }) => sessions.owns(id) || sessions.owns(session),
  });
  const running = new Set<string>();
  const own = ownSessions(sessions, projects, (session) => running.has(session));
  const externalTurns = new ExternalTurns(pool, log);
  const reader = new ReaderProcess({
    program: programs.reader,
    data,
    environment,
    logLevel,
    log,
    own: () => own.all(),
    sessions: (rows, gone) => {
      external.update(rows, gone);
      deck.rowsChanged([...rows.map(({ id }) => id), ...gone]);
    },
    externalTurn: (session) => externalTurns.turnCompleted(session),
  });
  const adoption = new Adoption({
    ...{ data, sessions, external },
    resumingAgent: (agent) => agents.resumingAgent(agent, environment),
    isInUse: (session) => reader.isInUse(session),
  });
  const keys = new KeysFile(data.keys, log, (state) => deck.keysChanged(state));
  const deck: DeckService = new DeckService({
    projects,
    sessions,
    external,
    adoption,
    drafts: store.drafts,
    layouts: store.layouts,
    choices: new Choices(store.settings),
    keys,
    agents,
    environment,
    now,
    preferences,
    // Agents read project configuration at startup: end idle ones so that the next start uses the new decision.
    trustChanged: (changed) => {
      for (const { session } of pool.list()) {
        if (changed.includes(sessions.find(session)?.project ?? '')) pool.endIfIdle(session);
      }
    },
    endHost: (session) => pool.end(session),
    startHost: (session) =>
      void pool
        .ensure(session)
        .catch((error: unknown) => log.warn('host not started', { session, ...reportOf(error) })),
  });
  const finalSummaries = new FinalSummaries({
    data,
    sessions,
    isLive: (session) => pool.isLive(session),
    published: (session) => {
      deck.rowChanged(session);
      reader.own(own.get(session));
    },
    log,
  });
  pool.subscribe({
    started: (session) => deck.rowChanged(session),
    summary: (session, summary) => {
      if (!sessions.recordSummary(session, summary)) return;
      deck.rowChanged(session);
      // Running sessions are scanned when searched; idle ones are indexed.
      const wasRunning = running.has(session);
      if (summary.turn === 'idle') running.delete(session);
      else running.add(session);
      if (summary.turn === 'idle' || !wasRunning) reader.own(own.get(session));
    },
    ended: (session) => {
      running.delete(session);
      void finalSummaries.publish(session);
    },
    listed: (session, listed) => {
      const { agent } = sessions.row(session);
      deck.rowsChanged(external.updateListed(agent, listed));
    },
  });
  const git = new GitRegistry({
    directoryOf: (project) => projects.get(project).path,
    environmentOf: (project) => projects.environment(project),
    isTrusted: (project) => projects.get(project).trust === 'yes',
    worktreeHome: data.worktrees,
    log,
  });
  const live = new LiveConfiguration(data.config, configuration, (error) =>
    log.warn('configuration', { error }),
  );
  live.subscribe(() => {
    agents.configure(live.current);
    deck.publishHead();
  });
  const liveServers = new LiveServers({ pool, sessions, data, now });
  const settings: SettingsOptions = {
    configuration: live,
    dataDirectory: data.root,
    build: programs.build,
    now,
    agentFiles: (project) =>
      readAgentFiles({
        agents: agents.list(environment).filter(({ installed }) => installed),
        environment,
        home,
        project: project === undefined ? undefined : projects.get(project).path,
        own: (agent) =>
          agentSettings(live.current, agent, project && projects.get(project).path).mcpServers ?? {},
        configFile: data.config,
        live: (agent) => liveServers.of(agent, project),
      }),
  };
  const stats: StatsOptions = {
    sampler: new Sampler({
      ledger,
      everyMs: timings.sampleMs,
      now,
      children: () => (reader.pid === undefined ? [] : [{ pid: reader.pid, purpose: 'reader' }]),
      fault: (error) => log.warn('sample', { error }),
    }),
    builds: new Builds({
      projects: () =>
        projects.list().map(({ id, path }) => ({
          project: id,
          directory: path,
          environment: projects.environment(id),
          commands: { ...live.current.builds, ...live.current.projects?.[path]?.builds },
        })),
      now,
      terminateMs: timings.terminateMs,
    }),
    usage: store.usage,
    session: (id) => sessions.find(id),
    now,
  };
  const files = new FileService({
    dataRoot: data.root,
    directoryOf: (project) => projects.get(project).path,
    marksOf: (project) => (listener) => git.watchMarks(project, listener),
    log,
    now,
  });
  const review = new ReviewRegistry({
    data,
    directoryOf: (session) => projects.get(sessions.row(session).project).path,
    siblings: (session) => {
      const { project } = sessions.row(session);
      return sessions.list().flatMap((row) => (row.project === project ? [row.id] : []));
    },
    log,
    now,
  });
  const agentTerminal = (session: string) => agentTerminalLaunch(session, sessions, pool);
  return {
    projects,
    trust,
    agents,
    sessions,
    deferred,
    external,
    reader,
    adoption,
    externalTurns,
    pool,
    starter,
    finalSummaries,
    deck,
    git,
    review,
    stats,
    settings,
    files,
    terminals,
    keys,
    agentTerminal,
  };
}
