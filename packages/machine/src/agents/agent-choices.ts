/**
 * The available agents: the catalog, modified by the configuration, looked up on the PATH that the agent would get.
 * Starts nothing.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join } from 'node:path';
import { findAgent, KNOWN_AGENTS, type KnownAgent } from '@tugdeck/agents/catalog';
import type { McpServer, McpServers } from '@tugdeck/local/mcp-servers';
import type { AgentChoice } from '@tugdeck/protocol/wire/deck';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { AgentSettings } from '../configuration.ts';
import { type AgentConfiguration, agentSettings } from './agent-settings.ts';

/** Why an agent may start in an untrusted project (X6). */
export type UntrustedStart = NonNullable<KnownAgent['untrustedStart']>;

export interface AgentLaunch {
  readonly name: string;
  readonly label: string;
  readonly protocol: string;
  readonly command: string;
  readonly args: string[];
  readonly env: Readonly<Record<string, string>>;
  readonly mode: string | undefined;
  readonly model: string | undefined;
  readonly directories: string[];
  readonly mcpServers: McpServers;
  readonly plugins: string[];
  /** Timeout from spawn to the end of the handshake, if the default is not enough. */
  readonly startTimeoutMs: number | undefined;
  /** Absent: the agent only starts in trusted projects. */
  readonly untrustedStart: UntrustedStart | undefined;
}

type Environment = Readonly<Record<string, string>>;

interface AgentDescription {
  readonly name: string;
  readonly label: string;
  readonly protocol: string;
  readonly command: string;
  readonly args: string[];
  readonly mode: string | undefined;
  readonly install: string;
  readonly settings: AgentSettings;
  /** Catalog entry of the agent, or of the one it resolves to. */
  readonly known?: KnownAgent;
  readonly untrustedStart: UntrustedStart | undefined;
}

export class AgentChoices {
  #configuration: AgentConfiguration;
  readonly #bundled: Readonly<Record<string, string>>;

  /** `bundled`: programs of agents that ship with Tugdeck, by name. */
  constructor(configuration: AgentConfiguration, bundled: Readonly<Record<string, string>> = {}) {
    this.#configuration = configuration;
    this.#bundled = bundled;
  }

  defaultIn(environment: Environment): string {
    return this.defaultAmong(this.list(environment));
  }

  /** The configured agent, otherwise the first installed one; a bundled agent always is (L7). */
  defaultAmong(choices: readonly AgentChoice[]): string {
    const { agent } = this.#configuration;
    if (agent !== undefined) return agent;
    const usable = choices.filter(({ installed }) => installed);
    const preferred = usable.find(({ name }) => !findAgent(name)?.bundled) ?? usable[0];
    return preferred?.name ?? KNOWN_AGENTS[0]?.name ?? '';
  }

  /** Applies to agents listed and started from now on. */
  configure(configuration: AgentConfiguration): void {
    this.#configuration = configuration;
  }

  has(name: string): boolean {
    return this.#describe(name) !== undefined;
  }

  list(environment: Environment): AgentChoice[] {
    const own = Object.keys(this.#configuration.agents ?? {});
    const names = new Set([...KNOWN_AGENTS.map(({ name }) => name), ...own]);
    return [...names].flatMap((name) => {
      const agent = this.#describe(name, undefined, environment);
      if (!agent) return [];
      const known = findAgent(name);
      const found = findCommand(agent.command, { ...environment, ...agent.settings.env });
      return {
        name,
        label: agent.label,
        installed: found !== undefined,
        detail: found === undefined || known?.bundled ? agent.install : found,
        ...(known?.mark === undefined ? {} : { mark: known.mark }),
        ...emptyStateOf(name),
        ...(known?.terminal ? { ownTerminal: true } : {}),
        ...(agent.untrustedStart === 'reads-none' ? { readsProject: false as const } : {}),
      };
    });
  }

  /**
   * The agent that resumes this agent's sessions: itself if installed, otherwise an installed one that shares its
   * sessions (A40).
   */
  resumingAgent(name: string, environment: Environment): string {
    const installed = this.list(environment).flatMap((agent) => (agent.installed ? [agent.name] : []));
    if (installed.includes(name)) return name;
    return installed.find((other) => findAgent(other)?.sharesSessionsWith === name) ?? name;
  }

  /** How to start an agent in a project; throws with install instructions if its program is missing. */
  launch(name: string, environment: Environment, directory?: string): AgentLaunch {
    const agent = this.#describe(name, directory, environment);
    if (!agent) throw new CodedError('AGENT_UNAVAILABLE', `Unknown agent: ${name}.`);
    const { settings } = agent;
    // Defaults from the catalog, unless set in the environment; then the user's configuration.
    const { known } = agent;
    const defaults = Object.entries(known?.environment ?? {});
    const env = {
      ...Object.fromEntries(defaults.filter(([variable]) => !(variable in environment))),
      ...settings.env,
    };
    const fullEnvironment = { ...environment, ...env };
    const command = findCommand(agent.command, fullEnvironment);
    if (command === undefined) {
      throw new CodedError('AGENT_UNAVAILABLE', `${agent.label} was not found on the PATH.`, agent.install);
    }
    return {
      name,
      label: agent.label,
      protocol: agent.protocol,
      command,
      args: agent.args,
      env,
      mode: agent.mode,
      model: settings.model,
      directories: settings.directories ?? [],
      plugins: settings.plugins ?? [],
      mcpServers: withAbsolutePaths(settings.mcpServers ?? {}, fullEnvironment),
      startTimeoutMs: known?.startTimeoutMs,
      untrustedStart: agent.untrustedStart,
    };
  }

  /** Why the agent may start in an untrusted project; undefined if it may not, or is unknown. */
  untrustedStart(name: string, directory: string): UntrustedStart | undefined {
    return this.#describe(name, directory)?.untrustedStart;
  }

  #describe(name: string, directory?: string, environment?: Environment): AgentDescription | undefined {
    const settings = agentSettings(this.#configuration, name, directory);
    const known = findAgent(name);
    if (known) {
      const resolved = resolveReplaced(known, settings, environment);
      const { label, install } = known;
      return describe({ ...resolved, name, label, install }, settings, this.#bundled[name]);
    }
    if (this.#configuration.agents?.[name] === undefined || settings.command === undefined) return undefined;
    return {
      name,
      label: settings.label ?? name,
      protocol: settings.protocol ?? 'acp',
      command: settings.command,
      args: settings.args ?? [],
      mode: settings.mode,
      install: 'Fix its command in the settings or in config.json.',
      settings,
      untrustedStart: settings.readsProject === false ? 'reads-none' : undefined,
    };
  }
}

/**
 * Resolves a name that another agent had before: settings written for the old agent, or a machine that has only its
 * program, mean the old one.
 */
function resolveReplaced(known: KnownAgent, own: AgentSettings, environment: Environment = {}): KnownAgent {
  const before = known.replaces === undefined ? undefined : findAgent(known.replaces);
  if (!before) return known;
  if (own.protocol !== undefined) return own.protocol === before.protocol ? before : known;
  if (own.command !== undefined) return basename(own.command) === known.command ? known : before;
  if (own.args !== undefined) return before;
  const isInstalled = ({ command }: KnownAgent) =>
    findCommand(command, { ...environment, ...own.env }) !== undefined;
  return !isInstalled(known) && isInstalled(before) ? before : known;
}

function describe(agent: KnownAgent, own: AgentSettings, program: string | undefined): AgentDescription {
  const shipped = own.command === undefined && program !== undefined;
  return {
    name: agent.name,
    label: own.label ?? agent.label,
    protocol: own.protocol ?? agent.protocol,
    command: shipped ? process.execPath : (own.command ?? agent.command),
    args: [...(shipped ? [program] : []), ...agent.args, ...(own.args ?? [])],
    mode: own.mode ?? agent.defaultMode,
    install: agent.bundled ? agent.install : `Install it with: ${agent.install}`,
    settings: own,
    known: agent,
    untrustedStart: untrustedStartOf(agent, own, shipped),
  };
}

/** The catalog's claim only holds for the agent's own protocol and, for bundled agents, for our own program. */
function untrustedStartOf(
  { untrustedStart, protocol }: KnownAgent,
  own: AgentSettings,
  shipped: boolean,
): UntrustedStart | undefined {
  if (own.readsProject === false) return 'reads-none';
  if (untrustedStart === 'reads-none') return shipped ? untrustedStart : undefined;
  return (own.protocol ?? protocol) === protocol ? untrustedStart : undefined;
}

/** Agents need absolute paths of MCP servers; they report missing ones themselves. */
function withAbsolutePaths(servers: McpServers, environment: Environment): McpServers {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]): [string, McpServer] => {
      if (!('command' in server)) return [name, server];
      return [name, { ...server, command: findCommand(server.command, environment) ?? server.command }];
    }),
  );
}

/** Examples and note for an empty conversation with this agent. */
function emptyStateOf(name: string): Pick<AgentChoice, 'examples' | 'note'> {
  const { examples, note } = findAgent(name) ?? {};
  return { ...(examples ? { examples: [...examples] } : {}), ...(note === undefined ? {} : { note }) };
}

/** The file that a shell with this PATH would run. */
export function findCommand(command: string, environment: Environment): string | undefined {
  if (isAbsolute(command)) return isProgram(command) ? command : undefined;
  if (command.includes('/')) return undefined;
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  for (const folder of (environment.PATH ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    for (const suffix of suffixes) {
      const file = join(folder, command + suffix);
      if (isProgram(file)) return file;
    }
  }
  return undefined;
}

function isProgram(file: string): boolean {
  try {
    // Most candidates do not exist, and an exception takes ten times as long.
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // Missing, or not executable for us.
  }
}
