/** What Settings shows and changes: configuration, agents' own files, the registry and accounts. */
import { Accounts } from '../agents/accounts.ts';
import type { AccountsAreaOptions } from '../agents/accounts-area.ts';
import { agentSettings } from '../agents/agent-settings.ts';
import { Registry } from '../agents/registry.ts';
import type { RegistryAreaOptions } from '../agents/registry-area.ts';
import { readAgentFiles } from '../settings/agent-files.ts';
import { LiveServers } from '../settings/live-servers.ts';
import type { SettingsOptions } from '../settings/settings-area.ts';
import type { SetupOptions } from '../setup/setup-area.ts';
import type { Context } from './context.ts';
import type { Processes } from './processes.ts';
import type { Records } from './records.ts';

export function createAgentSetup(
  context: Context,
  { agents, projects, sessions, configuration }: Records,
  { pool, terminals, endIdle }: Processes,
) {
  const { data, programs, environment, home, now, closing } = context;
  const liveServers = new LiveServers({ pool, sessions, data, now });
  /** The agents' own files, the user's and a project's. */
  const reading = (project: string | undefined) => ({
    agents: agents.list(environment).filter(({ installed }) => installed),
    environment,
    home,
    project: project === undefined ? undefined : projects.get(project).path,
    live: (agent: string) => liveServers.of(agent, project),
  });
  const settings: SettingsOptions = {
    configuration,
    dataDirectory: data.root,
    build: programs.build,
    now,
    agentFiles: (project) =>
      readAgentFiles({
        ...reading(project),
        own: (agent) =>
          agentSettings(configuration.current, agent, project && projects.get(project).path).mcpServers ?? {},
        configFile: data.config,
      }),
  };
  const registry: RegistryAreaOptions = {
    registry: new Registry({ file: data.registry, url: () => configuration.current.agentRegistry, now }),
    configuration,
    environment,
  };
  const setup: SetupOptions = {
    reading,
    trust: (project) => projects.get(project).trust ?? 'unknown',
    changed: (names, scope, project) =>
      endIdle((row) => names.includes(row.agent) && (scope === 'user' || row.project === project)),
  };
  const accounts: AccountsAreaOptions = {
    accounts: closing.add(
      new Accounts({
        agents: () => agents.list(environment),
        environment: (agent) => ({ ...environment, ...agentSettings(configuration.current, agent).env }),
        home,
      }),
    ),
    projects,
    terminals,
  };
  return { settings, registry, setup, accounts };
}
