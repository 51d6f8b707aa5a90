/** Projects, sessions, agents and configuration: what the machine knows without starting anything. */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { DeferredWrites } from '@tugdeck/store/deferred-writes';
import { AgentChoices } from '../agents/agent-choices.ts';
import { Preferences } from '../agents/preferences.ts';
import { attemptChoice } from '../attempts/attempts-row.ts';
import { ForgeStarts } from '../forge/forge-starts.ts';
import { Pulls } from '../forge/pulls.ts';
import type { LiveHosts } from '../hosts/live-host.ts';
import { slotLimits } from '../hosts/slots.ts';
import { Projects } from '../projects/projects.ts';
import { Sessions } from '../sessions/sessions.ts';
import { LiveConfiguration } from '../settings/live-configuration.ts';
import { dayOf } from '../stats/spending.ts';
import { Trust } from '../trust/trust.ts';
import { SetupImports } from '../workspaces/imports/setup-imports.ts';
import { openCheckout, openWorktree } from '../workspaces/inspect.ts';
import { workspaceSettingsOf } from '../workspaces/settings.ts';
import { workspacePlaces } from '../workspaces/workspace-places.ts';
import { Workspaces } from '../workspaces/workspaces.ts';
import type { Context } from './context.ts';

export type Records = ReturnType<typeof createRecords>;

export function createRecords(context: Context) {
  const { data, store, programs, environment, home, log, now, closing } = context;
  const agents = new AgentChoices(context.configuration, programs.agents);
  if (context.configuration.agent !== undefined && !agents.has(context.configuration.agent)) {
    throw new CodedError('AGENT_UNAVAILABLE', `Unknown agent: ${context.configuration.agent}.`);
  }
  const trust = new Trust({ table: store.trust, dataRoot: data.root, home, now });
  const preferences = new Preferences(store.settings);
  const deferred = closing.add(new DeferredWrites(log));
  const configuration = closing.add(
    new LiveConfiguration(data.config, context.configuration, (error) =>
      log.warn('configuration', { error }),
    ),
  );
  const workspaceSettings = (path: string) => workspaceSettingsOf(configuration.current, path);
  const projects = new Projects(
    store.projects,
    trust,
    now,
    environment,
    workspacePlaces(store.workspaces, workspaceSettings),
  );
  const workspaces = closing.add(
    new Workspaces({
      ...{ table: store.workspaces, projects, data, now, log },
      machine: context.id,
      settings: workspaceSettings,
      turnsOf: (session, project) =>
        store.sessions.get(session)?.project === project ? data.session(session).trees : undefined,
    }),
  );
  const setupImports = new SetupImports({
    projects,
    ownSettings: (path) => configuration.current.projects?.[path]?.workspaces ?? {},
    save: (path, settings) => configuration.set(['projects', path, 'workspaces'], settings),
  });
  const pulls = new Pulls({
    table: store.workspaces,
    worktree: (row) => openWorktree(row, () => projects.get(row.project).trust === 'yes'),
    environment: (project) => projects.environment(project),
    changed: (id) => workspaces.notify(id),
    now,
  });
  const forgeStarts = new ForgeStarts({
    checkout: (project) =>
      openCheckout(projects.get(project).path, () => projects.get(project).trust === 'yes'),
    environment: (project) => projects.environment(project),
    create: (project, spec, at) => workspaces.create(project, spec, undefined, at),
    settled: (id) => workspaces.ready(id),
  });
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
    choiceOf: (session) => attemptChoice(store.attempts, session),
    host: context.hostConfig,
  });
  const limits = () => slotLimits(configuration.current);
  return {
    agents,
    trust,
    projects,
    workspaces,
    pulls,
    setupImports,
    forgeStarts,
    workspaceSettings,
    preferences,
    configuration,
    live,
    sessions,
    limits,
  };
}
