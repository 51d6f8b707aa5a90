/**
 * What the agent may say on stdout, as schemas. Lenient: unknown fields pass, an unknown type or subtype, or
 * a known one of another shape, becomes `unrecognized` and is counted; nothing here ever throws (A2).
 */

import { z } from 'zod';
import { foreignText } from '../kit/foreign-text.ts';
import { SYSTEM_HEARD, SYSTEM_SILENT } from './system-kinds.ts';

/** What may be missing may also be null, or of a kind that another version has: the rest of the line still counts. */
const maybe = <S extends z.ZodType>(schema: S) => schema.optional().catch(undefined);

const uuids = { user_message_uuid: maybe(z.string()), user_message_uuids: maybe(z.array(z.string())) };
const line = { uuid: maybe(z.string()), session_id: maybe(z.string()), ...uuids };

const blockSchema = z.looseObject({ type: z.string() });
const contentSchema = z.union([z.string(), z.array(blockSchema), z.null().transform(() => [])]);
const tokensSchema = z.looseObject({
  input_tokens: maybe(z.number()),
  output_tokens: maybe(z.number()),
  cache_read_input_tokens: maybe(z.number()),
  cache_creation_input_tokens: maybe(z.number()),
});

const streamEventSchema = z.looseObject({
  ...line,
  type: z.literal('stream_event'),
  parent_tool_use_id: maybe(z.string()),
  api_message_id: maybe(z.string()),
  abandoned_blocks: maybe(z.looseObject({ api_message_id: z.string(), from_block_index: z.number().int() })),
  event: z.looseObject({
    type: z.string(),
    index: maybe(z.number().int()),
    message: maybe(z.looseObject({ id: z.string(), model: maybe(z.string()), usage: maybe(tokensSchema) })),
    content_block: maybe(blockSchema),
    delta: maybe(z.looseObject({ type: maybe(z.string()) })),
    usage: maybe(tokensSchema),
  }),
});

const assistantSchema = z
  .looseObject({
    ...line,
    type: z.literal('assistant'),
    message: z.looseObject({
      id: maybe(z.string()),
      model: maybe(z.string()),
      content: contentSchema,
      usage: maybe(tokensSchema),
    }),
    parent_tool_use_id: maybe(z.string()),
    timestamp: maybe(z.string()),
    aborted: maybe(z.boolean()),
    error: maybe(z.string()),
    is_api_error_message: maybe(z.boolean()),
    api_error_status: maybe(z.number()),
    thinking_duration_ms: maybe(z.number()),
    local_command_source: maybe(z.string()),
    local_command_run: maybe(z.looseObject({ command: z.string(), args: maybe(z.string()) })),
  })
  // Without a name of its own a message is its line.
  .transform((said) => {
    const { uuid, message } = said;
    return { ...said, message: { ...message, id: message.id ?? uuid ?? '' } };
  });

const userSchema = z.looseObject({
  ...line,
  type: z.literal('user'),
  message: z.looseObject({ content: contentSchema }),
  parent_tool_use_id: maybe(z.string()),
  timestamp: maybe(z.string()),
  isReplay: maybe(z.boolean()),
  isSynthetic: maybe(z.boolean()),
  tool_use_result: z.unknown().optional(),
  tool_result_meta: z
    .array(
      z.looseObject({
        id: z.string(),
        non_execution_kind: maybe(z.string()),
        permission_decision: maybe(
          z.looseObject({
            decision: z.string(),
            source: maybe(z.string()),
            reason_type: maybe(z.string()),
          }),
        ),
      }),
    )
    .optional()
    .catch(undefined),
});

const modelUsageSchema = z.looseObject({
  inputTokens: z.number().catch(0),
  outputTokens: z.number().catch(0),
  cacheReadInputTokens: z.number().catch(0),
  cacheCreationInputTokens: z.number().catch(0),
  costUSD: z.number().catch(0),
  contextWindow: maybe(z.number()),
});

const resultSchema = z.looseObject({
  ...line,
  type: z.literal('result'),
  subtype: z.string().catch(''),
  is_error: z.boolean().catch(false),
  result: maybe(z.string()),
  errors: maybe(z.array(z.string())),
  terminal_reason: maybe(z.string()),
  origin: maybe(z.looseObject({ kind: z.string() })),
  duration_ms: maybe(z.number()),
  duration_api_ms: maybe(z.number()),
  modelUsage: maybe(z.record(z.string(), modelUsageSchema)),
  model_usage_since_last_result: maybe(z.record(z.string(), modelUsageSchema)),
});

const controlRequestSchema = z.looseObject({
  type: z.literal('control_request'),
  request_id: z.string().min(1).max(200),
  request: z.looseObject({ subtype: z.string() }),
});

const controlResponseSchema = z.looseObject({
  type: z.literal('control_response'),
  response: z.looseObject({
    subtype: z.string(),
    request_id: z.string(),
    response: z.unknown().optional(),
    error: maybe(z.string()),
  }),
});

const lifecycleSchema = z.looseObject({
  type: z.literal('command_lifecycle'),
  command_uuid: z.string(),
  state: z.string(),
});

const systemSchema = z.looseObject({ ...line, type: z.literal('system'), subtype: z.string() });

/** Events beside the conversation's own. */
const OWN_EVENTS = {
  rate_limit_event: z.looseObject({
    ...line,
    type: z.literal('rate_limit_event'),
    rate_limit_info: z.looseObject({
      status: z.string().catch('allowed'),
      resetsAt: maybe(z.number()),
      rateLimitType: maybe(z.string()),
      utilization: maybe(z.number()),
    }),
  }),
  prompt_suggestion: z.looseObject({
    ...line,
    type: z.literal('prompt_suggestion'),
    suggestion: z.string().catch(''),
  }),
  tool_progress: z.looseObject({
    ...line,
    type: z.literal('tool_progress'),
    tool_use_id: z.string().catch(''),
    parent_tool_use_id: maybe(z.string()),
    subagent_retry: maybe(z.looseObject({})),
  }),
  auth_status: z.looseObject({
    ...line,
    type: z.literal('auth_status'),
    isAuthenticating: z.boolean().catch(false),
    output: z.array(z.string()).catch([]),
    error: maybe(z.string()),
  }),
};
export type OwnEvent = {
  [K in keyof typeof OWN_EVENTS]: z.infer<(typeof OWN_EVENTS)[K]>;
}[keyof typeof OWN_EVENTS];

export type StreamEvent = z.infer<typeof streamEventSchema>;
export type AssistantLine = z.infer<typeof assistantSchema>;
export type UserLine = z.infer<typeof userSchema>;
export type ResultLine = z.infer<typeof resultSchema>;
export type ControlRequest = z.infer<typeof controlRequestSchema>;
export type ControlResponse = z.infer<typeof controlResponseSchema>;
export type Lifecycle = z.infer<typeof lifecycleSchema>;
export type SystemLine = z.infer<typeof systemSchema>;
export type Block = z.infer<typeof blockSchema>;
export type Tokens = z.infer<typeof tokensSchema>;
export type ModelUsage = z.infer<typeof modelUsageSchema>;

export type WireMessage =
  | StreamEvent
  | AssistantLine
  | UserLine
  | ResultLine
  | ControlRequest
  | ControlResponse
  | Lifecycle
  | SystemLine
  | { readonly type: 'control_cancel_request'; readonly request_id: string }
  | {
      readonly type: 'conversation_reset';
      readonly new_conversation_id: string;
      readonly uuid?: string | undefined;
    }
  | OwnEvent
  | { readonly type: 'silent' }
  | { readonly type: 'unrecognized'; readonly what: string };

const SCHEMAS = {
  stream_event: streamEventSchema,
  assistant: assistantSchema,
  user: userSchema,
  result: resultSchema,
  control_request: controlRequestSchema,
  control_response: controlResponseSchema,
  command_lifecycle: lifecycleSchema,
  system: systemSchema,
  control_cancel_request: z.looseObject({
    type: z.literal('control_cancel_request'),
    request_id: z.string(),
  }),
  conversation_reset: z.looseObject({
    type: z.literal('conversation_reset'),
    new_conversation_id: z.string(),
    uuid: z.string().optional(),
  }),
  ...OWN_EVENTS,
} as const;

/** Known, and nothing for the conversation. */
export const SILENT: ReadonlySet<string> = new Set([
  'keep_alive',
  'tool_use_summary',
  'active_goal',
  'api_metrics',
  'autocompact_state',
  'compact_progress',
  'stream_mode',
  'transcript_mirror',
]);

/** Every type that is told apart. */
export const TYPES: ReadonlySet<string> = new Set([...Object.keys(SCHEMAS), ...SILENT]);

export function readMessage(value: unknown): WireMessage {
  if (!value || typeof value !== 'object') return { type: 'unrecognized', what: 'not an object' };
  const { type, subtype } = value as { type?: unknown; subtype?: unknown };
  if (typeof type !== 'string') return { type: 'unrecognized', what: 'no type' };
  if (SILENT.has(type)) return { type: 'silent' };
  if (!Object.hasOwn(SCHEMAS, type)) return { type: 'unrecognized', what: named(type, subtype) };
  if (type === 'system' && !SYSTEM_HEARD.has(foreignText(subtype))) {
    return SYSTEM_SILENT.has(foreignText(subtype))
      ? { type: 'silent' }
      : { type: 'unrecognized', what: named(type, subtype) };
  }
  const parsed = SCHEMAS[type as keyof typeof SCHEMAS].safeParse(value);
  return parsed.success
    ? (parsed.data as WireMessage)
    : { type: 'unrecognized', what: `${named(type, subtype)} of another shape` };
}

function named(type: string, subtype: unknown): string {
  return (typeof subtype === 'string' ? `${type}/${subtype}` : type).slice(0, 150);
}

export function blocksOf(content: z.infer<typeof contentSchema>): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** A text field of a block or a loose object, or nothing. */
export function textAt(value: unknown, key: string): string | undefined {
  const field = recordOf(value)[key];
  return typeof field === 'string' ? field : undefined;
}

export function numberAt(value: unknown, key: string): number | undefined {
  const field = recordOf(value)[key];
  return typeof field === 'number' ? field : undefined;
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return value && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The text of a user line or a tool result, without what is not text. */
export function plainText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((block) => textAt(block, 'text') ?? '')
    .join('');
}
