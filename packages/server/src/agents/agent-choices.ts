/**
 * Which agents there are and whether they can be started: the catalogue, changed by the configuration, looked
 * up on the PATH that the agent would get. Starts nothing.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join } from 'node:path';
import { findAgent, KNOWN_AGENTS, type KnownAgent } from '@tugdeck/agents/catalogue';
import type { McpServer, McpServers } from '@tugdeck/local/mcp-servers';
import type { AgentChoice } from '@tugdeck/protocol/wire/deck';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { AgentSettings } from '../configuration.ts';
import { type AgentConfiguration, agentSettings } from './agent-settings.ts';

/** Why an agent may start in a project that nobody trusts (X6). */
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
  /** From spawn to the end of its handshake, where the usual time is not enough. */
  readonly startTimeoutMs: number | undefined;
  /** Absent: it starts only in a project that the user trusts. */
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
  /** What the catalogue says of it, or of the one that stands for it. */
  readonly known?: KnownAgent;
  readonly untrustedStart: UntrustedStart | undefined;
}

export class AgentChoices {
  #configuration: AgentConfiguration;
  readonly #bundled: Readonly<Record<string, string>>;

  /** `bundled` are the programs of agents that ship with us, by name. */
  constructor(configuration: AgentConfiguration, bundled: Readonly<Record<string, string>> = {}) {
    this.#configuration = configuration;
    this.#bundled = bundled;
  }

  defaultIn(environment: Environment): string {
    return this.defaultAmong(this.list(environment));
  }

  /** What the configuration names, else the first that can be started: one of ours always can (L7). */
  defaultAmong(choices: readonly AgentChoice[]): string {
    const { agent } = this.#configuration;
    if (agent !== undefined) return agent;
    const usable = choices.filter(({ installed }) => installed);
    const own = usable.find(({ name }) => !findAgent(name)?.bundled) ?? usable[0];
    return own?.name ?? KNOWN_AGENTS[0]?.name ?? '';
  }

  /** Holds for what is listed and started from now on. */
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

  /** Who goes on with sessions of this agent: itself, else one that is there and keeps the same ones (A40). */
  resumingAgent(name: string, environment: Environment): string {
    const installed = this.list(environment).flatMap((agent) => (agent.installed ? [agent.name] : []));
    if (installed.includes(name)) return name;
    return installed.find((other) => findAgent(other)?.sharesSessionsWith === name) ?? name;
  }

  /** How to start one in a project; refused with what to do where its program is not there. */
  launch(name: string, environment: Environment, directory?: string): AgentLaunch {
    const agent = this.#describe(name, directory, environment);
    if (!agent) throw new CodedError('AGENT_UNAVAILABLE', `There is no agent named ${name}.`);
    const { settings } = agent;
    // What the agent should have unless the user has set it, then what the user's configuration says.
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

  /** Why it may start in a project that nobody trusts; nothing where it may not, as for one that is not known. */
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
      install: 'Correct its command in the settings, or in config.json.',
      settings,
      untrustedStart: settings.readsProject === false ? 'reads-none' : undefined,
    };
  }
}

/** Whom a name means: what was written for the agent that had it before, and a machine with only that one, mean that one. */
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

/** What is known of an agent holds for its own protocol and, where we ship it, for our own program only. */
function untrustedStartOf(
  { untrustedStart, protocol }: KnownAgent,
  own: AgentSettings,
  shipped: boolean,
): UntrustedStart | undefined {
  if (own.readsProject === false) return 'reads-none';
  if (untrustedStart === 'reads-none') return shipped ? untrustedStart : undefined;
  return (own.protocol ?? protocol) === protocol ? untrustedStart : undefined;
}

/** Agents want the program of a server by its whole path; one that is not found they report themselves. */
function withAbsolutePaths(servers: McpServers, environment: Environment): McpServers {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]): [string, McpServer] => {
      if (!('command' in server)) return [name, server];
      return [name, { ...server, command: findCommand(server.command, environment) ?? server.command }];
    }),
  );
}

/** What an empty conversation with this agent says of its own. */
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
    // Most are not there, and to be told so by an error takes ten times as long.
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // Not there, or not ours to run: either way no program.
  }
}
