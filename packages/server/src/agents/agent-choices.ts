/**
 * Which agents there are and whether they can be started: the catalogue, changed by the configuration, looked
 * up on the PATH that the agent would get. Starts nothing.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { findAgent, KNOWN_AGENTS, type KnownAgent } from '@tugdeck/agents/catalogue';
import type { AgentChoice } from '@tugdeck/protocol/wire/deck';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { AgentSettings, Configuration } from '../configuration.ts';

export interface AgentLaunch {
  readonly name: string;
  readonly label: string;
  readonly protocol: string;
  readonly command: string;
  readonly args: string[];
  readonly env: Readonly<Record<string, string>>;
  readonly mode: string | undefined;
  readonly model: string | undefined;
}

type Environment = Readonly<Record<string, string>>;
type Described = Omit<AgentLaunch, 'env'> & { readonly install: string; readonly settings: AgentSettings };

export class AgentChoices {
  readonly #agents: readonly Described[];
  readonly defaultAgent: string;

  /** `bundled` are the programs of agents that ship with us, by name. */
  constructor(
    configuration: Pick<Configuration, 'agent' | 'agents'>,
    bundled: Readonly<Record<string, string>> = {},
  ) {
    this.#agents = describeAll(configuration.agents ?? {}, bundled);
    this.defaultAgent = configuration.agent ?? this.#agents[0]?.name ?? '';
  }

  has(name: string): boolean {
    return this.#agents.some((agent) => agent.name === name);
  }

  list(environment: Environment): AgentChoice[] {
    return this.#agents.map((agent) => {
      const found = findCommand(agent.command, { ...environment, ...agent.settings.env });
      return {
        name: agent.name,
        label: agent.label,
        installed: found !== undefined,
        detail: found === undefined || found === process.execPath ? agent.install : found,
        ...invitation(agent.name),
      };
    });
  }

  /** How to start one; refused with what to do where its program is not there. */
  launch(name: string, environment: Environment): AgentLaunch {
    const agent = this.#agents.find((one) => one.name === name);
    if (!agent) throw new CodedError('AGENT_UNAVAILABLE', `There is no agent named ${name}.`);
    // What the agent should have unless the user has set it, then what the user's configuration says.
    const wanted = Object.entries(findAgent(name)?.environment ?? {});
    const env = {
      ...Object.fromEntries(wanted.filter(([variable]) => !(variable in environment))),
      ...agent.settings.env,
    };
    const command = findCommand(agent.command, { ...environment, ...env });
    if (command === undefined) {
      throw new CodedError('AGENT_UNAVAILABLE', `${agent.label} was not found on the PATH.`, agent.install);
    }
    const { label, protocol, args, mode, model } = agent;
    return { name, label, protocol, command, args, env, mode, model };
  }
}

function describeAll(
  settings: Readonly<Record<string, AgentSettings>>,
  bundled: Readonly<Record<string, string>>,
): Described[] {
  const known = KNOWN_AGENTS.map((agent) => describe(agent, settings[agent.name] ?? {}, bundled[agent.name]));
  const names = new Set(known.map(({ name }) => name));
  for (const [name, own] of Object.entries(settings)) {
    if (names.has(name) || !own.command || !own.protocol) continue;
    known.push({
      name,
      label: own.label ?? name,
      protocol: own.protocol,
      command: own.command,
      args: own.args ?? [],
      mode: own.mode,
      model: own.model,
      install: 'Its command in config.json was not found.',
      settings: own,
    });
  }
  return known;
}

function describe(agent: KnownAgent, own: AgentSettings, program: string | undefined): Described {
  const shipped = own.command === undefined && program !== undefined;
  return {
    name: agent.name,
    label: own.label ?? agent.label,
    protocol: own.protocol ?? agent.protocol,
    command: shipped ? process.execPath : (own.command ?? agent.command),
    args: [...(shipped ? [program] : []), ...agent.args, ...(own.args ?? [])],
    mode: own.mode ?? agent.defaultMode,
    model: own.model,
    install: agent.bundled ? agent.install : `Install it with: ${agent.install}`,
    settings: own,
  };
}

/** What an empty conversation with this agent says of its own. */
function invitation(name: string): Pick<AgentChoice, 'examples' | 'note'> {
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
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // Not there, or not ours to run: either way no program.
  }
}
