/**
 * Control requests by our own names, and the slash commands that send them, because app-server has none. Each is one
 * call and one sentence about its result.
 */
import type { SessionInfo } from '@tugdeck/protocol/conversation/session-info';
import { z } from 'zod';
import { type Fields, listOf, numberAt, recordOf, textAt } from '../kit/fields.ts';
import type { ControlInput } from '../kit/port.ts';

export interface ControlCall {
  readonly method: string;
  readonly params: Fields;
  readonly text: (result: Fields) => string;
  /** The part of the result that is kept; all of it if absent. */
  readonly data?: (result: Fields) => unknown;
}
type Control = (input: ControlInput, threadId: string, directory: string) => ControlCall | undefined;

function control<T extends z.ZodType>(
  input: T,
  call: (input: z.infer<T>, threadId: string, directory: string) => ControlCall,
): Control {
  return (given, threadId, directory) => {
    const { success, data } = input.safeParse(given);
    return success ? call(data, threadId, directory) : undefined;
  };
}

const nothing = z.object({});
const text = z.string().min(1).max(10_000);
const constant = (text: string) => (): string => text;
const json = (value: unknown): string => JSON.stringify(value, null, 2);

const target = z.union([
  z.object({ type: z.literal('uncommittedChanges') }),
  z.object({ type: z.literal('baseBranch'), branch: text }),
  z.object({ type: z.literal('commit'), sha: text, title: z.string().nullable().default(null) }),
  z.object({ type: z.literal('custom'), instructions: text }),
]);

export const CONTROLS: Readonly<Record<string, Control>> = {
  compact: control(nothing, (_, threadId) => ({
    method: 'thread/compact/start',
    params: { threadId },
    text: constant('Compacting the conversation.'),
  })),
  review: control(z.object({ target: target.optional() }), (input, threadId) => ({
    method: 'review/start',
    params: { threadId, target: input.target ?? { type: 'uncommittedChanges' }, delivery: 'inline' },
    text: constant('Reviewing the changes.'),
  })),
  'goal.set': control(
    z.object({ objective: text, tokenBudget: z.number().int().positive().optional() }),
    (goal, threadId) => ({
      method: 'thread/goal/set',
      params: { threadId, ...goal },
      text: constant('Codex will work on the goal until it is reached or cleared.'),
    }),
  ),
  'goal.clear': control(nothing, (_, threadId) => ({
    method: 'thread/goal/clear',
    params: { threadId },
    text: constant('The goal was cleared.'),
  })),
  goal: control(nothing, (_, threadId) => ({
    method: 'thread/goal/get',
    params: { threadId },
    text: ({ goal }) => (goal == null ? 'No goal. Set one with /goal and a description.' : json(goal)),
  })),
  rename: control(z.object({ title: z.string().min(1).max(200) }), ({ title }, threadId) => ({
    method: 'thread/name/set',
    params: { threadId, name: title },
    text: constant(`Renamed the session to “${title}”.`),
  })),
  'session.delete': (given, threadId) => {
    const { success, data } = z.object({ session: z.string().min(1).max(200) }).safeParse(given);
    // The current session must not be deleted.
    if (!success || data.session === threadId) return undefined;
    return {
      method: 'thread/delete',
      params: { threadId: data.session },
      text: constant('Codex deleted the session.'),
    };
  },
  tasks: control(nothing, (_, threadId) => ({
    method: 'thread/backgroundTerminals/list',
    params: { threadId },
    text: ({ data }) =>
      listOf(data)
        .map((task) => `${textAt(task, 'processId')}: ${textAt(task, 'command')}`)
        .join('\n') || 'No background tasks',
  })),
  'task.stop': control(z.object({ task: z.string().min(1).max(200) }), ({ task }, threadId) => ({
    method: 'thread/backgroundTerminals/terminate',
    params: { threadId, processId: task },
    text: ({ terminated }) =>
      terminated === false ? 'The command had already ended.' : 'Stopped the command.',
  })),
  queue: control(nothing, (_, threadId) => ({
    method: 'thread/queue/list',
    params: { threadId },
    text: ({ data }) => {
      const waiting = listOf(data).map((one) =>
        listOf(recordOf(one).input).map((part) => textAt(part, 'text') ?? ''),
      );
      return waiting.length === 0
        ? 'Codex’s own queue is empty'
        : waiting.map((parts, at) => `${at + 1}. ${parts.join(' ')}`).join('\n');
    },
  })),
  'queue.start': control(nothing, (_, threadId) => ({
    method: 'thread/queue/start',
    params: { threadId },
    text: constant('Sent the first message of Codex’s own queue.'),
  })),
  'queue.delete': control(z.object({ id: text }), ({ id }, threadId) => ({
    method: 'thread/queue/delete',
    params: { threadId, queuedSubmissionId: id },
    text: constant('Removed from Codex’s own queue.'),
  })),
  'mcp.status': control(nothing, (_, threadId) => ({
    method: 'mcpServerStatus/list',
    params: { threadId },
    text: (result) =>
      serversOf(result)
        .map(({ name, tools = [] }) => `${name}: ${tools.map((tool) => tool.name).join(', ') || 'no tools'}`)
        .join('\n') || 'No MCP servers',
    data: (result) => ({ servers: serversOf(result) }),
  })),
  // Of all servers; Codex starts those that don't run, and leaves the others as they are.
  'mcp.reconnect': control(z.object({ server: text }), () => ({
    method: 'config/mcpServer/reload',
    params: {},
    text: constant('Servers that stopped are starting again.'),
  })),
  'mcp.sign-in': control(z.object({ server: text }), ({ server }, threadId) => ({
    method: 'mcpServer/oauth/login',
    params: { name: server, threadId },
    text: constant(`Sign in to ${server} in the browser.`),
    data: (result) => ({ address: textAt(result, 'authorizationUrl') }),
  })),
  skills: control(nothing, (_, _thread, directory) => ({
    method: 'skills/list',
    params: { cwds: [directory] },
    text: ({ data }) =>
      listOf(data)
        .flatMap((place) => listOf(recordOf(place).skills))
        .map((skill) => [textAt(skill, 'name'), textAt(skill, 'description')].filter(Boolean).join(': '))
        .join('\n') || 'No skills',
  })),
  hooks: control(nothing, (_, _thread, directory) => ({
    method: 'hooks/list',
    params: { cwds: [directory] },
    text: ({ data }) => {
      const hooks = listOf(data).flatMap((place) => listOf(recordOf(place).hooks));
      return hooks.length === 0 ? 'No hooks' : json(hooks);
    },
  })),
  usage: control(nothing, () => ({
    method: 'account/rateLimits/read',
    params: {},
    text: ({ rateLimits }) => {
      const lines = ['primary', 'secondary'].flatMap((which) => {
        const percent = numberAt(recordOf(rateLimits)[which], 'usedPercent');
        return percent === undefined ? [] : [`${which}: ${percent} % used`];
      });
      return lines.join('\n') || 'The account reports no limits';
    },
  })),
  status: control(nothing, () => ({
    method: 'account/read',
    params: {},
    text: ({ account, requiresOpenaiAuth }) => {
      if (account != null) return `Signed in: ${textAt(account, 'email') ?? textAt(account, 'type')}`;
      return requiresOpenaiAuth === true ? 'Not signed in.' : 'This provider needs no sign-in.';
    },
  })),
  'sign-out': control(nothing, () => ({
    method: 'account/logout',
    params: {},
    text: constant('Signed out.'),
  })),
};

/** The servers of a `mcpServerStatus/list`, without their resources. */
export function serversOf({ data }: Fields): McpServerList {
  return listOf(data).map((server) => ({
    name: textAt(server, 'name') ?? '',
    needsSignIn: textAt(server, 'authStatus') === 'notLoggedIn',
    tools: Object.values(recordOf(recordOf(server).tools)).map((tool) => ({
      name: textAt(tool, 'name') ?? '',
      ...(textAt(tool, 'description') === undefined
        ? {}
        : { description: textAt(tool, 'description') ?? '' }),
      inputSchema: recordOf(tool).inputSchema,
    })),
  }));
}

export type McpServerList = readonly {
  readonly name: string;
  readonly needsSignIn: boolean;
  readonly tools: readonly {
    readonly name: string;
    readonly description?: string;
    readonly inputSchema: unknown;
  }[];
}[];

/** Answered by the driver. */
export const OWN_CONTROLS = ['diff', 'sign-in'] as const;

export const CONTROL_NAMES: readonly string[] = [...Object.keys(CONTROLS), ...OWN_CONTROLS];

export const COMMANDS: NonNullable<SessionInfo['commands']> = [
  { name: 'compact', description: 'Compact the conversation to free up context' },
  { name: 'review', description: 'Review the project’s changes', argumentHint: '[what to review]' },
  {
    name: 'goal',
    description: 'Set a goal to work on until it is reached',
    argumentHint: '[goal, or clear]',
  },
  { name: 'diff', description: 'Show what the last turn changed', surface: 'control:diff' },
  { name: 'status', description: 'Show the account', surface: 'control:status' },
  { name: 'usage', description: 'Show the account’s limits', surface: 'control:usage' },
  { name: 'mcp', description: 'List MCP servers', surface: 'control:mcp.status' },
  { name: 'skills', description: 'List skills', surface: 'control:skills' },
  { name: 'hooks', description: 'List hooks', surface: 'control:hooks' },
  { name: 'tasks', description: 'List background tasks', surface: 'control:tasks' },
  { name: 'queue', description: 'Show Codex’s own queue', surface: 'control:queue' },
  { name: 'login', description: 'Sign in', surface: 'control:sign-in' },
  { name: 'logout', description: 'Sign out', surface: 'control:sign-out' },
  { name: 'model', description: 'Switch models', surface: 'model' },
  { name: 'permissions', description: 'Choose what Codex may do without asking', surface: 'mode' },
  { name: 'rename', description: 'Rename this session', surface: 'rename' },
  { name: 'fork', description: 'Continue in a copy of this session', surface: 'fork' },
  { name: 'resume', description: 'Open another session', surface: 'sessions' },
  { name: 'help', description: 'List the commands', surface: 'help' },
];

/** The call for a message that is a slash command with its own turn. */
export function commandCall(text: string, threadId: string): { method: string; params: Fields } | undefined {
  const [, name, rest = ''] = /^\/(compact|review|goal)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  const more = rest.trim();
  if (name === 'compact' && more === '') return { method: 'thread/compact/start', params: { threadId } };
  if (name === 'review') {
    const what = more === '' ? { type: 'uncommittedChanges' } : { type: 'custom', instructions: more };
    return { method: 'review/start', params: { threadId, target: what, delivery: 'inline' } };
  }
  if (name === 'goal' && more === 'clear') return { method: 'thread/goal/clear', params: { threadId } };
  if (name === 'goal' && more !== '')
    return { method: 'thread/goal/set', params: { threadId, objective: more } };
  return undefined;
}
