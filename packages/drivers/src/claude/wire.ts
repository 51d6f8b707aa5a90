/**
 * Schemas of the agent's stdout. Lenient: unknown fields pass; an unknown type, subtype or shape becomes
 * `unrecognized` and is counted. Never throws (A2).
 */

import { z } from 'zod';
import { listOf, recordOf, textAt } from '../kit/fields.ts';
import { untrustedText } from '../kit/untrusted-text.ts';
import { SYSTEM_HANDLED, SYSTEM_IGNORED } from './system-kinds.ts';

const uuids = {
  user_message_uuid: z.string().optional().catch(undefined),
  user_message_uuids: z.array(z.string()).optional().catch(undefined),
};
const line = { uuid: z.string().optional(), session_id: z.string().optional(), ...uuids };

const blockSchema = z.looseObject({ type: z.string() });
const contentSchema = z.union([z.string(), z.array(blockSchema)]).default([]);
const tokensSchema = z.looseObject({
  input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
  cache_read_input_tokens: z.number().nullish(),
  cache_creation_input_tokens: z.number().nullish(),
});

const streamEventSchema = z.looseObject({
  ...line,
  type: z.literal('stream_event'),
  parent_tool_use_id: z.string().nullish(),
  api_message_id: z.string().optional(),
  abandoned_blocks: z
    .looseObject({ api_message_id: z.string(), from_block_index: z.number().int() })
    .optional(),
  event: z.looseObject({
    type: z.string(),
    index: z.number().int().optional(),
    message: z
      .looseObject({ id: z.string(), model: z.string().optional(), usage: tokensSchema.optional() })
      .optional(),
    content_block: blockSchema.optional(),
    delta: z.looseObject({ type: z.string().optional() }).optional(),
    usage: tokensSchema.optional(),
  }),
});

const assistantSchema = z.looseObject({
  ...line,
  type: z.literal('assistant'),
  message: z.looseObject({
    id: z.string(),
    model: z.string().optional(),
    content: contentSchema,
    usage: tokensSchema.optional(),
  }),
  parent_tool_use_id: z.string().nullish(),
  timestamp: z.string().optional(),
  aborted: z.boolean().optional(),
  error: z.string().optional(),
  is_api_error_message: z.boolean().optional(),
  api_error_status: z.number().nullish(),
  thinking_duration_ms: z.number().optional(),
  local_command_source: z.string().optional(),
  local_command_run: z.looseObject({ command: z.string(), args: z.string().optional() }).optional(),
});

const userSchema = z.looseObject({
  ...line,
  type: z.literal('user'),
  message: z.looseObject({ content: contentSchema }),
  parent_tool_use_id: z.string().nullish(),
  timestamp: z.string().optional(),
  isReplay: z.boolean().optional(),
  isSynthetic: z.boolean().optional(),
  tool_use_result: z.unknown().optional(),
  tool_result_meta: z
    .array(
      z.looseObject({
        id: z.string(),
        non_execution_kind: z.string().optional(),
        permission_decision: z
          .looseObject({
            decision: z.string(),
            source: z.string().optional(),
            reason_type: z.string().optional(),
          })
          .optional(),
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
  contextWindow: z.number().optional().catch(undefined),
  maxOutputTokens: z.number().optional().catch(undefined),
});

const resultSchema = z.looseObject({
  ...line,
  type: z.literal('result'),
  subtype: z.string().catch(''),
  is_error: z.boolean().catch(false),
  result: z.string().optional().catch(undefined),
  errors: z.array(z.string()).optional().catch(undefined),
  terminal_reason: z.string().optional().catch(undefined),
  origin: z.looseObject({ kind: z.string() }).optional().catch(undefined),
  duration_ms: z.number().optional().catch(undefined),
  duration_api_ms: z.number().optional().catch(undefined),
  modelUsage: z.record(z.string(), modelUsageSchema).optional().catch(undefined),
  model_usage_since_last_result: z.record(z.string(), modelUsageSchema).optional().catch(undefined),
  permission_denials: z
    .array(
      z.looseObject({ tool_name: z.string(), tool_use_id: z.string(), tool_input: z.unknown().optional() }),
    )
    .optional()
    .catch(undefined),
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
    error: z.string().optional(),
  }),
});

const lifecycleSchema = z.looseObject({
  type: z.literal('command_lifecycle'),
  command_uuid: z.string(),
  state: z.string(),
});

const systemSchema = z.looseObject({ ...line, type: z.literal('system'), subtype: z.string() });

/** Events besides the conversation. */
const SIDE_EVENTS = {
  rate_limit_event: z.looseObject({
    ...line,
    type: z.literal('rate_limit_event'),
    rate_limit_info: z.looseObject({
      status: z.string().catch('allowed'),
      resetsAt: z.number().nullish().catch(undefined),
      rateLimitType: z.string().nullish().catch(undefined),
      utilization: z.number().nullish().catch(undefined),
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
    parent_tool_use_id: z.string().nullish(),
    subagent_retry: z.looseObject({}).optional().catch(undefined),
  }),
  auth_status: z.looseObject({
    ...line,
    type: z.literal('auth_status'),
    isAuthenticating: z.boolean().catch(false),
    output: z.array(z.string()).catch([]),
    error: z.string().optional().catch(undefined),
  }),
};
export type SideEvent = {
  [K in keyof typeof SIDE_EVENTS]: z.infer<(typeof SIDE_EVENTS)[K]>;
}[keyof typeof SIDE_EVENTS];

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
  | SideEvent
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
  ...SIDE_EVENTS,
} as const;

/** Known, but irrelevant to the conversation. */
export const IGNORED: ReadonlySet<string> = new Set([
  'keep_alive',
  'tool_use_summary',
  'active_goal',
  'api_metrics',
  'autocompact_state',
  'compact_progress',
  'stream_mode',
  'transcript_mirror',
]);

/** All known types. */
export const TYPES: ReadonlySet<string> = new Set([...Object.keys(SCHEMAS), ...IGNORED]);

export function readMessage(value: unknown): WireMessage {
  if (!value || typeof value !== 'object') return { type: 'unrecognized', what: 'not an object' };
  const { type, subtype } = value as { type?: unknown; subtype?: unknown };
  if (typeof type !== 'string') return { type: 'unrecognized', what: 'no type' };
  if (IGNORED.has(type)) return { type: 'silent' };
  if (!Object.hasOwn(SCHEMAS, type)) return { type: 'unrecognized', what: named(type, subtype) };
  if (type === 'system' && !SYSTEM_HANDLED.has(untrustedText(subtype))) {
    return SYSTEM_IGNORED.has(untrustedText(subtype))
      ? { type: 'silent' }
      : { type: 'unrecognized', what: named(type, subtype) };
  }
  const schema = SCHEMAS[type as keyof typeof SCHEMAS];
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data as WireMessage;
  // Rare: retries with nulls treated as missing, which is slow to allow in every field.
  const second = schema.safeParse(completed(value));
  return second.success
    ? (second.data as WireMessage)
    : { type: 'unrecognized', what: `${named(type, subtype)} of another shape` };
}

/** Without nulls; a message without an id gets its line's uuid. */
function completed(value: object): object {
  const line = withoutNulls(value);
  const { message, uuid } = line;
  const isNamed = textAt(message, 'id') !== undefined || typeof message !== 'object';
  if (line.type !== 'assistant' || isNamed) return line;
  return { ...line, message: { ...recordOf(message), id: typeof uuid === 'string' ? uuid : '' } };
}

const NULLS_DEEP = 4;

function withoutNulls(value: object, depth = 0): Record<string, unknown> {
  const kept = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(
    kept.map(([key, field]) => {
      const isRecord = typeof field === 'object' && !Array.isArray(field) && depth < NULLS_DEEP;
      return [key, isRecord ? withoutNulls(field, depth + 1) : field];
    }),
  );
}

function named(type: string, subtype: unknown): string {
  return (typeof subtype === 'string' ? `${type}/${subtype}` : type).slice(0, 150);
}

export function blocksOf(content: z.infer<typeof contentSchema>): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** The text parts of a user line or a tool result. */
export function plainText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((block) => textAt(block, 'text') ?? '')
    .join('');
}
