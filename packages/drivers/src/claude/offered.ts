/** Parses the agent's lists of commands, MCP servers, plugins and model limits. Pure. */
import type { CommandCategory, McpServer, SessionInfo } from '@tugdeck/protocol/conversation/session-info';
import { listOf, recordOf, textAt } from '../kit/fields.ts';
import type { OfferedCommand } from './surfaces.ts';
import type { ResultLine } from './wire.ts';

const DESCRIPTION = 500;
const MAX_SERVERS = 100;
const MAX_TOOLS = 200;
const MAX_PLUGINS = 100;

type ModelLimits = NonNullable<SessionInfo['modelLimits']>[string];

export function offeredCommands(list: unknown): OfferedCommand[] {
  return listOf(list).flatMap(command);
}

export function offeredServers(list: unknown): McpServer[] {
  return listOf(list).slice(0, MAX_SERVERS).map(server);
}

export function offeredPlugins(list: unknown): NonNullable<SessionInfo['plugins']> {
  return listOf(list).slice(0, MAX_PLUGINS).flatMap(plugin);
}

export function modelLimits(models: ResultLine['modelUsage']): [string, ModelLimits][] {
  return Object.entries(models ?? {}).flatMap(([model, { contextWindow, maxOutputTokens }]) => {
    if (contextWindow === undefined && maxOutputTokens === undefined) return [];
    const window = contextWindow === undefined ? {} : { contextWindow };
    const limits = { ...window, ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }) };
    return [[model, limits] as [string, ModelLimits]];
  });
}

function command(value: unknown): OfferedCommand[] {
  const name = textAt(value, 'name');
  if (name === undefined) return [];
  const [description, argumentHint] = [textAt(value, 'description'), textAt(value, 'argumentHint')];
  return [
    {
      name,
      ...(description ? { description: description.slice(0, DESCRIPTION) } : {}),
      ...(argumentHint ? { argumentHint } : {}),
    },
  ];
}

function server(value: unknown): McpServer {
  const error = textAt(value, 'error');
  const { tools } = recordOf(value);
  return {
    name: textAt(value, 'name') ?? '',
    status: textAt(value, 'status') ?? '',
    ...(error ? { error: error.slice(0, DESCRIPTION) } : {}),
    ...(Array.isArray(tools) ? { tools: tools.slice(0, MAX_TOOLS).map(serverTool) } : {}),
  };
}

function serverTool(value: unknown): NonNullable<McpServer['tools']>[number] {
  const description = textAt(value, 'description');
  return {
    name: textAt(value, 'name') ?? '',
    ...(description ? { description: description.slice(0, DESCRIPTION) } : {}),
  };
}

function plugin(value: unknown): NonNullable<SessionInfo['plugins']> {
  const [name, source] = [textAt(value, 'name'), textAt(value, 'source') ?? textAt(value, 'path')];
  return name === undefined ? [] : [{ name, ...(source === undefined ? {} : { source }) }];
}

/** Commands that open a Tugdeck view count as local, even if the agent has one of the same name. */
export function categoryOf(
  { name, surface }: OfferedCommand,
  { skills, plugins }: SessionInfo,
): CommandCategory {
  if (surface !== undefined && surface !== 'terminal') return 'local';
  const [prefix, rest] = name.split(':');
  if (rest !== undefined && plugins?.some((one) => one.name === prefix)) return 'plugin';
  return skills?.includes(name) ? 'skill' : 'agent';
}
