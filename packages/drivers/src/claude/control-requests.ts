/**
 * Control requests by our own names (A3): how each is sent, and how its answer reads. Pure; the driver sends and
 * waits. A control that this version answers with `unsupported_request` is no longer offered.
 */
import { z } from 'zod';
import { listOf, numberAt, recordOf, textAt } from '../kit/fields.ts';

export type ControlRequestBody = { readonly subtype: string } & Readonly<Record<string, unknown>>;

interface Control {
  /** Undefined if the input is invalid. */
  readonly request: (input: unknown) => ControlRequestBody | undefined;
  readonly text: (response: Readonly<Record<string, unknown>>, input: unknown) => string;
  /** The part of the answer that may be kept. */
  readonly data?: (response: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

const name = z.string().min(1).max(500);

function control<I>(
  input: z.ZodType<I>,
  request: (input: I) => ControlRequestBody,
  text: (response: Readonly<Record<string, unknown>>, input: I) => string,
): Control {
  return {
    request: (given) => {
      const parsed = input.safeParse(given);
      return parsed.success ? request(parsed.data) : undefined;
    },
    text: (response, given) => text(response, input.parse(given)),
  };
}

const nothing = z.looseObject({});
const task = z.object({ task: name });
const server = z.object({ server: name });
const SOURCES = { user: 'userSettings', project: 'projectSettings', local: 'localSettings' } as const;

const withoutInput = (subtype: string): (() => ControlRequestBody) => {
  return () => ({ subtype });
};
const json = (value: unknown): string => JSON.stringify(value, null, 2);

export const CONTROLS: Readonly<Record<string, Control>> = {
  context: control(
    z.object({ detail: z.enum(['summary', 'full']).default('summary') }),
    ({ detail }) => ({ subtype: 'get_context_usage', detail }),
    contextText,
  ),
  cost: control(nothing, withoutInput('get_session_cost'), (response) => textAt(response, 'text') ?? ''),
  usage: control(nothing, () => ({ subtype: 'get_usage', skip_behaviors: true }), usageText),
  status: control(nothing, withoutInput('get_status'), statusText),
  settings: control(nothing, withoutInput('get_settings'), (response) => json(response.effective ?? {})),
  'settings.change': control(
    z.object({ source: z.enum(['user', 'project', 'local']), settings: z.record(z.string(), z.unknown()) }),
    ({ source, settings }) => ({ subtype: 'update_settings', source: SOURCES[source], settings }),
    (_, { source }) => `Changed the ${source} settings.`,
  ),
  rules: control(nothing, withoutInput('list_permission_rules'), rulesText),
  hooks: control(nothing, withoutInput('get_hooks_listing'), ({ hooks }) =>
    listOf(hooks).length === 0 ? 'No hooks' : json(hooks),
  ),
  memory: control(nothing, withoutInput('get_memory_dialog'), ({ files }) =>
    listOf(files)
      .map((file) => `${textAt(file, 'path')}${recordOf(file).exists === true ? '' : ' (missing)'}`)
      .join('\n'),
  ),
  skills: control(
    nothing,
    withoutInput('get_skills_dialog'),
    ({ skills }) => namedLines(skills) || 'No skills',
  ),
  plan: control(nothing, withoutInput('get_plan'), (response) =>
    response.exists === true ? (textAt(response, 'content') ?? '') : 'No plan yet',
  ),
  diff: control(nothing, withoutInput('get_workspace_diff'), (response) => {
    if (response.diff == null)
      return `No changes: ${textAt(response, 'noDiffReason') ?? 'the files are the same'}`;
    return typeof response.diff === 'string' ? response.diff : json(response.diff);
  }),
  files: control(
    z.object({ query: z.string().max(1000) }),
    ({ query }) => ({ subtype: 'file_suggestions', query }),
    ({ suggestions }) => listOf(suggestions).map(String).join('\n'),
  ),
  // The answer contains the servers' configuration with keys: only the status is kept.
  'mcp.status': {
    ...control(nothing, withoutInput('mcp_status'), ({ mcpServers }) => {
      const lines = listOf(mcpServers).map((one) => `${textAt(one, 'name')}: ${textAt(one, 'status')}`);
      return lines.length === 0 ? 'No MCP servers' : lines.join('\n');
    }),
    data: () => ({}),
  },
  'mcp.toggle': control(
    server.extend({ enabled: z.boolean() }),
    ({ server: serverName, enabled }) => ({ subtype: 'mcp_toggle', serverName, enabled }),
    (_, { server: serverName, enabled }) => `${serverName} is now ${enabled ? 'enabled' : 'disabled'}.`,
  ),
  'mcp.reconnect': control(
    server,
    ({ server: serverName }) => ({ subtype: 'mcp_reconnect', serverName }),
    (_, { server: serverName }) => `${serverName} reconnected.`,
  ),
  'mcp.sign-in': {
    ...control(
      server,
      ({ server: serverName }) => ({ subtype: 'mcp_authenticate', serverName }),
      (response, { server: serverName }) =>
        textAt(response, 'authUrl') === undefined
          ? `${serverName} is signed in.`
          : `Sign in to ${serverName} in the browser.`,
    ),
    data: (response) => ({ address: textAt(response, 'authUrl') }),
  },
  'mcp.sign-in.finish': {
    ...control(
      server.extend({ address: z.url().max(8192) }),
      ({ server: serverName, address }) => ({
        subtype: 'mcp_oauth_callback_url',
        serverName,
        callbackUrl: address,
      }),
      (_, { server: serverName }) => `${serverName} is signed in.`,
    ),
    data: () => ({}),
  },
  'task.stop': control(
    task,
    ({ task: id }) => ({ subtype: 'stop_task', task_id: id }),
    () => 'Stopped the task.',
  ),
  'task.background': control(
    z.object({ tool: name.optional() }),
    ({ tool }) => ({ subtype: 'background_tasks', ...(tool === undefined ? {} : { tool_use_id: tool }) }),
    () => 'Moved to the background.',
  ),
  'task.output': control(
    task,
    ({ task: id }) => ({ subtype: 'get_task_output', task_id: id }),
    (response) => textAt(response, 'output') ?? '',
  ),
  rename: control(
    z.object({ title: z.string().min(1).max(200) }),
    ({ title }) => ({ subtype: 'rename_session', title }),
    (_, { title }) => `Renamed the session to “${title}”.`,
  ),
  title: control(
    z.object({ description: z.string().min(1).max(10_000) }),
    ({ description }) => ({ subtype: 'generate_session_title', description, persist: true }),
    (response) => textAt(response, 'title') ?? 'Couldn’t generate a title.',
  ),
  // Uses the name that users know, because it is shown above the answer.
  btw: control(
    z.object({ question: z.string().min(1).max(100_000) }),
    ({ question }) => ({ subtype: 'side_question', question }),
    (response, { question }) => `${quoted(question)}\n\n${textAt(response, 'response') ?? ''}`,
  ),
  export: control(nothing, withoutInput('export_conversation'), (response) => textAt(response, 'text') ?? ''),
};

/** Controls after which the server status is requested again. */
export const CHANGES_SERVERS: ReadonlySet<string> = new Set([
  'mcp.toggle',
  'mcp.reconnect',
  'mcp.sign-in',
  'mcp.sign-in.finish',
]);

/** Handled by the driver, in the agent's own file. */
export const TRUST_CONTROL = 'trust';

export const CONTROL_NAMES: readonly string[] = [...Object.keys(CONTROLS), TRUST_CONTROL];

/** The question, quoted above its answer, because it is not shown elsewhere. */
const quoted = (text: string): string => text.trim().replace(/^/gm, '> ');

function contextText(response: Readonly<Record<string, unknown>>): string {
  const [used, max] = [numberAt(response, 'totalTokens') ?? 0, numberAt(response, 'maxTokens') ?? 0];
  const parts = listOf(response.categories)
    .filter((part) => (numberAt(part, 'tokens') ?? 0) > 0)
    .map((part) => `${textAt(part, 'name')}: ${numberAt(part, 'tokens')}`);
  return [`${used} of ${max} tokens (${numberAt(response, 'percentage') ?? 0} %)`, ...parts].join('\n');
}

function usageText({ session, rate_limits }: Readonly<Record<string, unknown>>): string {
  const dollars = (numberAt(session, 'total_cost_usd') ?? 0).toFixed(4);
  const models = Object.entries(recordOf(recordOf(session).model_usage)).map(
    ([model, used]) =>
      `${model}: ${numberAt(used, 'inputTokens')} in, ${numberAt(used, 'outputTokens')} out, $${(numberAt(used, 'costUSD') ?? 0).toFixed(4)}`,
  );
  const limits = rate_limits == null ? [] : [`Limits: ${json(rate_limits)}`];
  return [`This session: $${dollars}`, ...models, ...limits].join('\n');
}

function statusText({ sections }: Readonly<Record<string, unknown>>): string {
  return listOf(sections)
    .map((section) => {
      const rows = listOf(recordOf(section).rows).map(
        (row) => `${textAt(row, 'label')}: ${textAt(row, 'value')}`,
      );
      return [`${textAt(section, 'title')}`, ...rows].join('\n');
    })
    .join('\n\n');
}

function rulesText({ state }: Readonly<Record<string, unknown>>): string {
  const rules = listOf(recordOf(state).rules).map((rule) => {
    const text = textAt(rule, 'rule') ?? textAt(rule, 'content') ?? json(rule);
    const [behavior, source] = [textAt(rule, 'behavior'), textAt(rule, 'source')];
    return [behavior, text, source === undefined ? undefined : `(${source})`].filter(Boolean).join(' ');
  });
  return rules.length === 0 ? 'No permission rules' : rules.join('\n');
}

function namedLines(list: unknown): string {
  return listOf(list)
    .map((item) => [textAt(item, 'name'), textAt(item, 'description')].filter(Boolean).join(': '))
    .join('\n');
}
