/**
 * Merges the settings of one agent in one project (A16): for all agents, for this agent, for all agents in this
 * project, for this agent in this project. Later ones win; variables and MCP servers are merged by name, directories
 * are concatenated. Pure.
 */
import type { AgentSettings, Configuration } from '../configuration.ts';

export type AgentConfiguration = Pick<
  Configuration,
  'agent' | 'agents' | 'directories' | 'mcpServers' | 'plugins' | 'projects'
>;

/** `directory` is the project's real path; without it, only global settings. */
export function agentSettings(
  { agents, directories, mcpServers, plugins, projects }: AgentConfiguration,
  name: string,
  directory?: string,
): AgentSettings {
  const project = directory === undefined ? undefined : projects?.[directory];
  const levels: AgentSettings[] = [
    { directories, mcpServers, plugins },
    agents?.[name] ?? {},
    { directories: project?.directories, mcpServers: project?.mcpServers, plugins: project?.plugins },
    project?.agents?.[name] ?? {},
  ];
  return {
    ...Object.assign({}, ...levels),
    env: Object.assign({}, ...levels.map(({ env }) => env)),
    mcpServers: Object.assign({}, ...levels.map((level) => level.mcpServers)),
    directories: [...new Set(levels.flatMap((level) => level.directories ?? []))],
    plugins: [...new Set(levels.flatMap((level) => level.plugins ?? []))],
  };
}
