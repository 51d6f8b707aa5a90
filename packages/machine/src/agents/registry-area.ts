/** Serves the agent registry area: agents of the published list, added to the configuration file. */
import type { RegistryAgent } from '@tugdeck/agents/registry-list';
import { agentRegistry } from '@tugdeck/protocol/areas/agent-registry';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type ServedArea, serveArea } from '../areas/serve-area.ts';
import type { LiveConfiguration } from '../settings/live-configuration.ts';
import { findCommand } from './agent-choices.ts';
import { installLine, programOf, type Registry } from './registry.ts';

export interface RegistryAreaOptions {
  readonly registry: Registry;
  readonly configuration: LiveConfiguration;
  readonly environment: Readonly<Record<string, string>>;
}

export function serveRegistry({ registry, configuration, environment }: RegistryAreaOptions): ServedArea {
  const entryOf = (agent: RegistryAgent) => ({
    label: agent.name,
    command: programOf(agent, environment.PATH ?? ''),
    args: [...agent.args],
    ...(agent.env ? { env: { ...agent.env } } : {}),
  });
  const stateOf = () => {
    const { day, isBundled, agents } = registry.list();
    const added = configuration.current.agents ?? {};
    return {
      day,
      isBundled,
      url: registry.url,
      agents: agents.map((agent) => {
        const entry = entryOf(agent);
        const own = added[agent.id];
        const runs = commandLine(entry);
        const isSame = own?.command !== undefined && commandLine({ ...own, command: own.command }) === runs;
        return {
          id: agent.id,
          name: agent.name,
          description: agent.description,
          website: agent.website,
          install: installLine(agent),
          runs,
          found: findCommand(own?.command ?? entry.command, environment),
          state:
            own === undefined ? ('offered' as const) : isSame ? ('added' as const) : ('outdated' as const),
        };
      }),
    };
  };
  const find = (id: string): RegistryAgent => {
    const agent = registry.list().agents.find((one) => one.id === id);
    if (!agent) throw new CodedError('NOT_FOUND', 'This agent is no longer in the list.');
    return agent;
  };
  return serveArea(agentRegistry, (_about, out) => {
    out.state(stateOf());
    const unsubscribe = configuration.subscribe(() => out.state(stateOf()));
    return {
      calls: {
        async refresh() {
          await registry.refresh();
          return stateOf();
        },
        add({ id, runs }) {
          const entry = entryOf(find(id));
          // Adds exactly what was shown, also after another page refreshed the list.
          if (commandLine(entry) !== runs) throw new CodedError('CONFIGURATION_CHANGED');
          configuration.set(['agents', id], { ...configuration.current.agents?.[id], ...entry });
          return stateOf();
        },
        remove({ id }) {
          configuration.set(['agents', find(id).id], null);
          return stateOf();
        },
      },
      close: unsubscribe,
    };
  });
}

interface Launch {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

function commandLine({ command, args = [], env = {} }: Launch): string {
  return [
    ...Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`),
    ...[command, ...args].map(quoted),
  ].join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
