/**
 * Permission rules and MCP servers from the agents' own settings files (W6), at the places listed in the catalog.
 * Read-only. Recognizes settings that several agents share; values of variables and headers are omitted.
 */
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import { findAgent, type KnownAgent, type UserSource } from '@tugdeck/agents/catalog';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import type { McpServers } from '@tugdeck/local/mcp-servers';
import type { AgentFiles, AgentRule, AgentServer, FileScope } from '@tugdeck/protocol/settings/agent-files';
import { parseJson, parseToml } from '@tugdeck/trust/texts';

const MAX_FILE = 8 * 1024 * 1024;
/** Parsing a hostile megabyte of TOML takes a second. */
const MAX_TOML = 256 * 1024;
const MAX_ITEMS = 300;
const MAX_TEXT = 400;

type Fields = Readonly<Record<string, unknown>>;
type Environment = Readonly<Record<string, string>>;

export interface AgentFilesOptions {
  readonly agents: readonly { readonly name: string; readonly label: string }[];
  readonly environment: Environment;
  readonly home: string;
  readonly project: string | undefined;
  /** MCP servers from our own configuration, and its file. */
  readonly own: (agent: string) => McpServers;
  readonly configFile: string;
  /** As reported by the agent's running sessions. */
  readonly live: (agent: string) => readonly { readonly name: string; readonly status: string }[];
}

interface FoundSettings {
  readonly rules: AgentRule[];
  readonly servers: AgentServer[];
  readonly unread: string[];
}

export function readAgentFiles(options: AgentFilesOptions): AgentFiles {
  return {
    agents: options.agents.map((agent) => ({
      agent: agent.name,
      label: agent.label,
      ...filesOf(agent.name, options),
    })),
  };
}

function filesOf(name: string, options: AgentFilesOptions): FoundSettings {
  const { project, own, configFile, live } = options;
  const all: FoundSettings = { rules: [], servers: [], unread: [] };
  for (const { file, scope } of filePlaces(findAgent(name), options)) read(file, scope, project, all);
  for (const [server, about] of Object.entries(own(name))) {
    all.servers.push({ name: server, file: configFile, scope: 'config', launch: launchOf(about) });
  }
  const states = new Map(live(name).map(({ name: server, status }) => [server, status]));
  const servers = all.servers.map((server) => {
    const status = states.get(server.name);
    return status === undefined ? server : { ...server, status };
  });
  const known = new Set(servers.map((server) => server.name));
  const others = [...states].filter(([server]) => !known.has(server));
  return {
    rules: all.rules.slice(0, MAX_ITEMS),
    servers: [...servers, ...others.map(([server, status]) => ({ name: server, launch: '', status }))].slice(
      0,
      MAX_ITEMS,
    ),
    unread: all.unread,
  };
}

function filePlaces(
  agent: KnownAgent | undefined,
  { environment, home, project }: AgentFilesOptions,
): { file: string; scope: FileScope }[] {
  const user = (agent?.userSources ?? []).map((source) => ({
    file: placeOf(source, environment, home),
    scope: isAbsolute(source.path) ? ('machine' as const) : ('user' as const),
  }));
  if (project === undefined) return user;
  const inProject = (agent?.projectSources ?? [])
    .filter(({ path, form }) => form === 'settings' || path.endsWith('.toml'))
    .map(({ path }) => pathInProject(project, path))
    .filter((file) => file !== undefined);
  return [...user, ...inProject.map((file) => ({ file, scope: 'project' as const }))];
}

function placeOf({ path, variable }: UserSource, environment: Environment, home: string): string {
  const folder = variable && environment[variable.name];
  if (variable && folder) return join(folder, variable.path);
  return isAbsolute(path) ? path : join(home, path);
}

/** Does not follow links out of the project, which may be anyone's. */
function pathInProject(project: string, path: string): string | undefined {
  try {
    const root = realpathSync(project);
    const file = realpathSync(join(root, path));
    return file.startsWith(root + sep) ? join(project, path) : undefined;
  } catch {
    return undefined; // Does not exist.
  }
}

function read(file: string, scope: FileScope, project: string | undefined, into: FoundSettings): void {
  let root: Fields;
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (!stat?.isFile()) return;
    const isToml = file.endsWith('.toml');
    const within = scope === 'project' ? project : undefined;
    const text = readBoundedText(file, { maxBytes: isToml ? MAX_TOML : MAX_FILE, within });
    if (text === undefined) throw new Error('too large, or replaced while reading');
    root = fields(isToml ? parseToml(text) : parseJson(text));
  } catch {
    into.unread.push(file);
    return;
  }
  const rules = [...rulesOf(root.permissions), ...rulesOf(root.permission), ...tomlRules(root)];
  into.rules.push(...rules.map((rule) => ({ file, scope, text: shortened(rule) })));
  // Some agents keep per-project settings in the user's file, under the project's path.
  const local = project === undefined ? {} : fields(fields(root.projects)[project]);
  for (const servers of [root.mcpServers, root.mcp, root.mcp_servers, local.mcpServers]) {
    for (const [name, about] of Object.entries(fields(servers))) {
      into.servers.push({ name: shortened(name), file, scope, launch: launchOf(about) });
    }
  }
}

function rulesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Object.entries(fields(value)).flatMap(([key, given]) => {
    if (Array.isArray(given)) return given.map((rule) => `${key} ${textOf(rule)}`);
    if (typeof given === 'object' && given !== null) return rulesOf(given).map((rule) => `${key}: ${rule}`);
    return [`${key}: ${textOf(given)}`];
  });
}

function tomlRules({ approval_policy: approval, sandbox_mode: sandbox }: Fields): string[] {
  return [
    ...(typeof approval === 'string' ? [`approval_policy: ${approval}`] : []),
    ...(typeof sandbox === 'string' ? [`sandbox_mode: ${sandbox}`] : []),
  ];
}

function launchOf(server: unknown): string {
  const { command, args, url, httpUrl } = fields(server);
  if (command === undefined) return shortened(textOf(url ?? httpUrl ?? ''));
  const argv = [...(Array.isArray(command) ? command : [command]), ...(Array.isArray(args) ? args : [])];
  return shortened(argv.map(textOf).join(' '));
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function shortened(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}
