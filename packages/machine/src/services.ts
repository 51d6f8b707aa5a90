/**
 * Creates the machine's services and routes their notifications. Each service gets only those created before it;
 * notifications to later ones are subscribed at the end.
 */
import { homedir } from 'node:os';
import type { Closing } from '@tugdeck/local/closing';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Ledger } from '@tugdeck/local/ledger';
import type { Log, LogLevel } from '@tugdeck/local/log';
import type { Timings } from '@tugdeck/local/timings';
import type { TerminalLaunch } from '@tugdeck/protocol/terminal/terminal-link';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import { DeferredWrites } from '@tugdeck/store/deferred-writes';
import type { Store } from '@tugdeck/store/store';
import { Accounts } from './agents/accounts.ts';
import type { AccountsAreaOptions } from './agents/accounts-area.ts';
import { AgentChoices } from './agents/agent-choices.ts';
import { agentSettings } from './agents/agent-settings.ts';
import { Preferences } from './agents/preferences.ts';
import { Registry } from './agents/registry.ts';
import type { RegistryAreaOptions } from './agents/registry-area.ts';
import { Channels } from './channels/channels.ts';
import { cleanEnvironment } from './clean-environment.ts';
import type { Configuration } from './configuration.ts';
import { FileService } from './files/file-service.ts';
import { GitRegistry } from './git/git-registry.ts';
import { HostPool } from './hosts/host-pool.ts';
import { HostStarter } from './hosts/host-starter.ts';
import type { LiveHosts } from './hosts/live-host.ts';
import { slotLimits } from './hosts/slots.ts';
import type { Programs } from './programs.ts';
import { Projects } from './projects/projects.ts';
import { Adoption } from './reader/adoption.ts';
import { ExternalSessions } from './reader/external-sessions.ts';
import { ExternalTurns } from './reader/external-turns.ts';
import { ownSessions } from './reader/own-sessions.ts';
import { ReaderProcess } from './reader/reader-process.ts';
import { ReviewRegistry } from './review/review-registry.ts';
import { DeckService } from './sessions/deck-service.ts';
import { FinalSummaries } from './sessions/final-summaries.ts';
import { Sessions } from './sessions/sessions.ts';
import { readAgentFiles } from './settings/agent-files.ts';
import { LiveConfiguration } from './settings/live-configuration.ts';
import { LiveServers } from './settings/live-servers.ts';
import type { SettingsOptions } from './settings/settings-area.ts';
import type { SetupOptions } from './setup/setup-area.ts';
import { Builds } from './stats/builds.ts';
import { Sampler } from './stats/sampler.ts';
import { dayOf } from './stats/spending.ts';
import type { StatsOptions } from './stats/stats-area.ts';
import { agentTerminalLaunch } from './terminals/agent-terminal.ts';
import { Terminals } from './terminals/terminals.ts';
import { Trust } from './trust/trust.ts';

export interface ServicesOptions {
  /** The id of this machine. */
  readonly id: string;
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
  readonly external: ExternalSessions;
  readonly reader: ReaderProcess;
  readonly adoption: Adoption;
  readonly channels: Channels;
  readonly pool: HostPool;
  readonly starter: HostStarter;
  readonly finalSummaries: FinalSummaries;
  readonly deck: DeckService;
  readonly git: GitRegistry;
  readonly review: ReviewRegistry;
  readonly stats: StatsOptions;
  readonly settings: SettingsOptions;
  readonly registry: RegistryAreaOptions;
  readonly setup: SetupOptions;
  readonly accounts: AccountsAreaOptions;
  readonly files: FileService;
  readonly terminals: Terminals;
  /**
   * How to start the agent's own terminal interface for a session (A41). Our host has released the session by then.
   */
  readonly agentTerminal: (session: string) => Promise<TerminalLaunch>;
}

export function createServices(options: ServicesOptions, closing: Closing): Services {
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
  const deferred = closing.add(new DeferredWrites(log));
  const configured = closing.add(
    new LiveConfiguration(data.config, configuration, (error) => log.warn('configuration', { error })),
  );
  const limits = () => slotLimits(configured.current);
  const live: LiveHosts = new Map();
  const sessions = new Sessions({
    table: store.sessions,
    deferred,
    preferences,
    projects,
    agents,
    trust,
    now,
    isLive: (session) => live.has(session),
    grantsSlots: true,
    spent: (id, spent, { changedAt, model }) => store.usage.add(dayOf(changedAt), id, model ?? '', spent),
    host: { dataDirectory: data.root, runtimeDirectory: runtime, timings, logLevel },
  });
  const starter = closing.add(new HostStarter(programs.starter));
  const terminals = closing.add(
    new Terminals({
      data,
      ledger,
      start: starter.start,
      program: programs.terminals,
      config: { dataDirectory: data.root, runtimeDirectory: runtime, timings, logLevel },
      timings,
      log,
    }),
  );
  const pool = closing.add(
    new HostPool({
      live,
      data,
      ledger,
      start: starter.start,
      program: programs.host,
      limits,
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
    }),
  );
  const external = new ExternalSessions({
    projects: () => projects.list(),
    isOwn: ({ id, session }) => sessions.owns(id) || sessions.owns(session),
  });
  const running = new Set<string>();
  const own = ownSessions(sessions, projects, (session) => running.has(session));
  const reader = closing.add(
    new ReaderProcess({
      ...{ data, environment, logLevel, log },
      program: programs.reader,
      own: () => own.all(),
    }),
  );
  const adoption = new Adoption({
    ...{ data, sessions, external },
    resumingAgent: (agent) => agents.resumingAgent(agent, environment),
    isInUse: (session) => reader.isInUse(session),
  });
  const deck = closing.add(
    new DeckService({
      machine: options.id,
      projects,
      sessions,
      external,
      adoption,
      agents,
      environment,
      now,
      preferences,
      limits,
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
    }),
  );
  const finalSummaries = closing.add(
    new FinalSummaries({
      data,
      sessions,
      isLive: (session) => live.has(session),
      published: (session) => {
        deck.rowChanged(session);
        reader.own(own.get(session));
      },
      log,
    }),
  );
  const git = closing.add(
    new GitRegistry({
      directoryOf: (project) => projects.get(project).path,
      environmentOf: (project) => projects.environment(project),
      isTrusted: (project) => projects.get(project).trust === 'yes',
      worktreeHome: data.worktrees,
      log,
    }),
  );
  const liveServers = new LiveServers({ pool, sessions, data, now });
  const settings: SettingsOptions = {
    configuration: configured,
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
          agentSettings(configured.current, agent, project && projects.get(project).path).mcpServers ?? {},
        configFile: data.config,
        live: (agent) => liveServers.of(agent, project),
      }),
  };
  const registry: RegistryAreaOptions = {
    registry: new Registry({ file: data.registry, url: () => configured.current.agentRegistry, now }),
    configuration: configured,
    environment,
  };
  const setup: SetupOptions = {
    reading: (project) => ({
      agents: agents.list(environment).filter(({ installed }) => installed),
      environment,
      home,
      project: project === undefined ? undefined : projects.get(project).path,
      live: (agent) => liveServers.of(agent, project),
    }),
    trust: (project) => projects.get(project).trust ?? 'unknown',
    changed: (names, scope, project) => {
      for (const { session } of pool.list()) {
        const row = sessions.find(session);
        const isAffected = row && names.includes(row.agent) && (scope === 'user' || row.project === project);
        if (isAffected) pool.endIfIdle(session);
      }
    },
  };
  const accounts: AccountsAreaOptions = {
    accounts: closing.add(
      new Accounts({
        agents: () => agents.list(environment),
        environment: (agent) => ({ ...environment, ...agentSettings(configured.current, agent).env }),
        home,
      }),
    ),
    projects,
    terminals,
  };
  const stats: StatsOptions = {
    sampler: closing.add(
      new Sampler({
        ledger,
        everyMs: timings.sampleMs,
        now,
        children: () => (reader.pid === undefined ? [] : [{ pid: reader.pid, purpose: 'reader' }]),
        fault: (error) => log.warn('sample', { error }),
      }),
    ),
    builds: closing.add(
      new Builds({
        projects: () =>
          projects.list().map(({ id, path }) => ({
            project: id,
            directory: path,
            environment: projects.environment(id),
            commands: { ...configured.current.builds, ...configured.current.projects?.[path]?.builds },
          })),
        now,
        terminateMs: timings.terminateMs,
      }),
    ),
    usage: store.usage,
    session: (id) => sessions.find(id),
    now,
  };
  const files = closing.add(
    new FileService({
      dataRoot: data.root,
      directoryOf: (project) => projects.get(project).path,
      marksOf: (project) => (listener) => git.watchMarks(project, listener),
      log,
      now,
    }),
  );
  const review = closing.add(
    new ReviewRegistry({
      data,
      directoryOf: (session) => projects.get(sessions.row(session).project).path,
      siblings: (session) => {
        const { project } = sessions.row(session);
        return sessions.list().flatMap((row) => (row.project === project ? [row.id] : []));
      },
      log,
      now,
    }),
  );
  const agentTerminal = (session: string) => agentTerminalLaunch(session, sessions, pool);
  const channels = new Channels({
    ...{ data, sessions, external, adoption, reader, log },
    hosts: pool,
    connectMs: timings.hostStartMs,
  });
  const externalTurns = new ExternalTurns(pool, (session) => channels.isOpen(session), log);
  configured.subscribe(() => {
    agents.configure(configured.current);
    pool.slots.limitsChanged();
    deck.publishHead();
  });
  sessions.onOwned((agentSession) => {
    const row = external.find(agentSession);
    if (row) deck.rowsChanged([row.id]);
  });
  reader.subscribe({
    sessions: (rows, gone) => {
      external.update(rows, gone);
      deck.rowsChanged([...rows.map(({ id }) => id), ...gone]);
    },
    externalTurn: (session) => externalTurns.turnCompleted(session),
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
  const hostChanged: Channels['hostChanged'] = (session, fault) => channels.hostChanged(session, fault);
  pool.subscribe({ started: hostChanged, ended: hostChanged });
  return {
    projects,
    trust,
    agents,
    sessions,
    external,
    reader,
    adoption,
    pool,
    starter,
    finalSummaries,
    deck,
    git,
    review,
    stats,
    settings,
    registry,
    setup,
    accounts,
    files,
    terminals,
    channels,
    agentTerminal,
  };
}
