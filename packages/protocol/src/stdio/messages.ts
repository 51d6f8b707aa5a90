/**
 * Schemas of the stdio protocol (`tugdeck talk`, H2 to H4): JSON lines for other programs. projection.ts creates
 * outbound messages, inbound.ts parses inbound ones; docs/protocol.md has an example of each, which a test validates.
 * Field names are frozen, because other programs test against them.
 */
import { z } from 'zod';
import { MAX_PROMPT } from '../conversation/commands.ts';
import { REFUSALS, type RefusalCode } from '../conversation/decide.ts';
import {
  ENTRY_STATUSES,
  fileDiffSchema,
  NOTICES,
  permissionOptionSchema,
  questionRequestSchema,
  TOOL_KINDS,
  TOOL_STATES,
} from '../conversation/entries.ts';
import { AGENT_STATES, sessionInfoSchema, TURN_STATES } from '../conversation/session-info.ts';
import { toolResultSchema } from '../conversation/tool-result.ts';
import type { ErrorCode } from '../wire/error-codes.ts';
import { ERRORS } from '../wire/errors.ts';

/** On every outbound line. */
export const IPC_VERSION = 2;
/** Supported handshake versions; both have the same messages. */
export const STDIO_VERSIONS: readonly number[] = [1, 2];

/** In addition to the error catalog and the refusals. */
export const STDIO_ERRORS = {
  VERSION_UNSUPPORTED: 'Unsupported protocol version.',
  NOT_INITIALIZED: 'Send protocol_init first.',
  NOT_SUPPORTED: 'Not supported in this session.',
  PROMPT_NOT_DELIVERED: 'The message did not reach the agent.',
  AGENT_ERROR: 'The agent reports an error.',
  AGENT_CRASHED: 'The agent ended unexpectedly.',
} as const;
export type StdioErrorCode = keyof typeof STDIO_ERRORS | ErrorCode | RefusalCode;

const codes = [...Object.keys(STDIO_ERRORS), ...Object.keys(ERRORS), ...Object.keys(REFUSALS)];
const errorCodeSchema = z.enum(codes as [StdioErrorCode, ...StdioErrorCode[]]);

const request_id = z.string().min(1).max(200);
const answerText = z.string().max(64 * 1024);
/** Chosen by the caller, so that a repeated message takes effect once; errors name it in `re`. */
const id = z.uuid().optional();

/** Inbound. */
export const inboundMessageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('protocol_init'),
    version: z.number().int(),
    /** Partial texts: new parts with their offset, or the whole text each time. */
    texts: z.enum(['appends', 'whole']).default('appends'),
  }),
  z.object({
    type: z.literal('user_message'),
    id,
    text: z.string().max(MAX_PROMPT),
    /** Joins the running turn if the agent supports it; otherwise it is queued. */
    steer: z.boolean().optional(),
    attachments: z
      .array(
        z.object({
          filename: z.string().max(1024),
          /** Text, or base64 for anything else. */
          content: z.string(),
          media_type: z.string().max(255),
        }),
      )
      .max(20)
      .optional(),
  }),
  z.object({
    type: z.literal('tool_approval'),
    id,
    request_id,
    decision: z.enum(['allow', 'deny']),
    /** One of the offered options; for a plan, the mode to continue in. */
    option: z.string().max(200).optional(),
    message: answerText.optional(),
    updatedInput: z.record(z.string(), z.unknown()).optional(),
    /** The `shown` hash of the request: an answer to a changed request is refused. */
    shown: z.string().max(100).optional(),
    interrupt: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('question_answer'),
    id,
    request_id,
    /** Keyed by the question's id or text: a label, several labels, or free text. */
    answers: z.record(z.string(), z.union([answerText, z.array(answerText).max(32)])),
    shown: z.string().max(100).optional(),
  }),
  z.object({ type: z.literal('interrupt'), id }),
  z.object({
    type: z.literal('permission_mode'),
    id,
    mode: z.string().min(1).max(200),
    /** The confirmation that a dangerous mode needs. */
    confirmed: z.boolean().optional(),
  }),
  z.object({ type: z.literal('model_change'), id, model: z.string().min(1).max(200) }),
  z.object({
    type: z.literal('session_command'),
    id,
    command: z.enum(['new', 'fork', 'continue', 'restart', 'stop']),
    /** For `fork`: copies only up to before this user message. */
    at: z.string().min(1).max(200).optional(),
  }),
]);

const ipc = { ipc_version: z.literal(IPC_VERSION) };
const seq = z.number().int().nonnegative();
const place = { ...ipc, msg_id: z.string(), seq, parent_tool_use_id: z.string().optional() };
const prose = {
  ...place,
  rev: z.number().int().nonnegative(),
  /** Offset of `text`, in UTF-16 units; it replaces everything from there on. */
  at: z.number().int().nonnegative(),
  text: z.string(),
  is_partial: z.boolean(),
  status: z.enum(ENTRY_STATUSES),
};
const requestBase = { ...ipc, request_id, seq, shown: z.string() };
const ended = { ...ipc, turn_id: z.string(), msg_id: z.string(), seq };
const permission_denials = z.array(z.object({ tool_use_id: z.string(), title: z.string() })).optional();

/** Outbound. */
export const outboundMessageSchema = z.discriminatedUnion('type', [
  z.object({ ...ipc, type: z.literal('protocol_ack'), version: z.number().int(), session_id: z.string() }),
  z.object({
    ...ipc,
    type: z.literal('session_init'),
    session_id: z.string(),
    /** The agent's own session id; sent again when it changes. */
    agent_session_id: z.string(),
  }),
  z.object({
    ...ipc,
    type: z.literal('session_status'),
    status: z.enum(TURN_STATES),
    agent: z.enum(AGENT_STATES),
    reason: z.string().optional(),
    /** Queued prompts, and requests that need an answer. */
    queued: z.number().int().nonnegative(),
    waiting: z.number().int().nonnegative(),
  }),
  z.object({
    ...ipc,
    type: z.literal('system_metadata'),
    session_id: z.string(),
    cwd: z.string().optional(),
    agent: z.string().optional(),
    version: z.string().optional(),
    model: z.string().optional(),
    permissionMode: z.string().optional(),
    models: sessionInfoSchema.shape.models,
    permission_modes: sessionInfoSchema.shape.modes,
    tools: sessionInfoSchema.shape.tools,
    slash_commands: sessionInfoSchema.shape.commands,
    agents: sessionInfoSchema.shape.subagents,
    skills: sessionInfoSchema.shape.skills,
    mcp_servers: sessionInfoSchema.shape.mcpServers,
    plugins: sessionInfoSchema.shape.plugins,
  }),
  z.object({ ...prose, type: z.literal('assistant_text'), source: z.literal('slash_command').optional() }),
  z.object({ ...prose, type: z.literal('thinking_text') }),
  z.object({
    ...place,
    type: z.literal('tool_use'),
    rev: z.number().int().nonnegative(),
    tool_use_id: z.string(),
    tool_name: z.string(),
    tool_kind: z.enum(TOOL_KINDS),
    title: z.string(),
    state: z.enum(TOOL_STATES),
    input: z.unknown(),
    /** The input is not complete yet. */
    is_partial: z.boolean(),
  }),
  z.object({
    ...ipc,
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    /** Offset of `output`; it replaces everything from there on. */
    at: z.number().int().nonnegative(),
    output: z.string(),
    is_partial: z.boolean(),
    is_error: z.boolean(),
    state: z.enum(TOOL_STATES),
  }),
  z.object({
    ...ipc,
    type: z.literal('tool_use_structured'),
    tool_use_id: z.string(),
    tool_name: z.string(),
    structured_result: z.object({
      result: toolResultSchema.optional(),
      diff: z.array(fileDiffSchema).optional(),
    }),
  }),
  z.object({
    ...requestBase,
    type: z.literal('tool_approval_request'),
    tool_use_id: z.string().optional(),
    tool_name: z.string(),
    input: z.unknown(),
    title: z.string(),
    decision_reason: z.string().optional(),
    blocked_path: z.string().optional(),
    options: z.array(permissionOptionSchema),
    can_edit: z.boolean(),
  }),
  z.object({ ...requestBase, type: z.literal('question'), questions: questionRequestSchema.shape.questions }),
  /** Any other kind of request: a plan, a form, or an unknown one. */
  z.object({
    ...requestBase,
    type: z.literal('control_request_forward'),
    request_kind: z.enum(['plan', 'form']),
    is_question: z.literal(false),
    title: z.string(),
    message: z.string(),
    modes: z.array(z.object({ id: z.string(), label: z.string() })).optional(),
    schema: z.unknown().optional(),
  }),
  z.object({
    ...ipc,
    type: z.literal('request_cancelled'),
    request_id,
    /** `answered`: by another client. */
    reason: z.enum(['answered', 'withdrawn', 'stale']),
  }),
  z.object({
    ...ipc,
    type: z.literal('cost_update'),
    total_cost_usd: z.number().optional(),
    num_turns: z.number().int().nonnegative(),
    usage: z.object({
      input_tokens: z.number(),
      output_tokens: z.number(),
      cache_read_input_tokens: z.number(),
      cache_creation_input_tokens: z.number(),
    }),
    context_used: z.number().optional(),
    contextWindow: z.number().optional(),
    /** Duration of the turns, and the model's share of it. */
    duration_ms: z.number().optional(),
    duration_api_ms: z.number().optional(),
    modelUsage: z
      .record(
        z.string(),
        z.object({
          inputTokens: z.number(),
          outputTokens: z.number(),
          cacheReadInputTokens: z.number(),
          cacheCreationInputTokens: z.number(),
          costUSD: z.number().optional(),
          contextWindow: z.number().optional(),
          maxOutputTokens: z.number().optional(),
        }),
      )
      .optional(),
  }),
  z.object({ ...place, type: z.literal('compact_boundary'), text: z.string() }),
  z.object({
    ...place,
    type: z.literal('notice'),
    notice: z.enum(NOTICES),
    level: z.enum(['info', 'warning', 'error']),
    text: z.string(),
  }),
  z.object({
    ...ended,
    type: z.literal('turn_complete'),
    result: z.enum(['success', 'refused', 'limit', 'error']),
    message: z.string().optional(),
    permission_denials,
  }),
  z.object({ ...ended, type: z.literal('turn_cancelled'), partial_result: z.string(), permission_denials }),
  z.object({
    ...ipc,
    type: z.literal('error'),
    code: errorCodeSchema,
    message: z.string(),
    /** False: this process exits. */
    recoverable: z.boolean(),
    re: z.string().optional(),
  }),
]);

export type InboundMessage = z.infer<typeof inboundMessageSchema>;
export type VersionedMessage = z.infer<typeof outboundMessageSchema>;
export type InboundMessageOf<T extends InboundMessage['type']> = Extract<InboundMessage, { type: T }>;
/** A message without its version, which `withVersion` adds. */
type WithoutVersion<M> = M extends unknown ? Omit<M, 'ipc_version'> : never;
export type OutboundMessage = WithoutVersion<VersionedMessage>;

export function withVersion(message: OutboundMessage): VersionedMessage {
  return { ...message, ipc_version: IPC_VERSION };
}

export function stdioError(
  code: StdioErrorCode,
  options: { message?: string | undefined; recoverable?: boolean; re?: string | undefined } = {},
): OutboundMessage {
  const texts: Readonly<Record<string, string>> = {
    ...STDIO_ERRORS,
    ...REFUSALS,
    ...Object.fromEntries(Object.entries(ERRORS).map(([name, { text }]) => [name, text])),
  };
  return {
    type: 'error',
    code,
    message: options.message ?? texts[code] ?? code,
    recoverable: options.recoverable ?? true,
    ...(options.re === undefined ? {} : { re: options.re }),
  };
}
