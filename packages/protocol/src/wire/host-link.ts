/**
 * HostLink: the protocol between a session host and its clients, as JSON lines on a local socket and as the payload
 * of feeds 0x40/0x41. Contains nothing local, such as socket paths or descriptors.
 */
import { z } from 'zod';
import { APPEND_FIELDS, appendSchema, type Change, parseChange } from '../conversation/changes.ts';
import { commandSchema } from '../conversation/commands.ts';
import { REFUSALS, type RefusalCode } from '../conversation/decide.ts';
import { restorePreviewSchema } from '../conversation/restore.ts';
import { summarySchema } from '../conversation/summarize.ts';
import { PAGE, pageSchema, snapshotSchema } from '../conversation/window.ts';
import { errorCodeSchema } from './error-codes.ts';

const version = z.number().int().positive();
const entry = z.string().min(1).max(200);

/** The controls that only read, so that they may be sent again and need no entry. All others are commands. */
export const QUERIES = ['context', 'task.output'] as const;
export type Query = (typeof QUERIES)[number];

/** To the host. */
export const hostRequestSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('protocol_init'), version, secret: z.string().max(200).optional() }),
  /**
   * Follow the session. With `v`: the changes after it, or a snapshot if that is smaller. `have` is the known text
   * length of open entries.
   */
  z.object({
    type: z.literal('follow'),
    v: z.number().int().nonnegative().optional(),
    /** The edition that `v` refers to. */
    edition: z.string().max(100).optional(),
    have: z
      .array(z.object({ entry, field: z.enum(APPEND_FIELDS), length: z.number().int().nonnegative() }))
      .max(1000)
      .optional(),
  }),
  /**
   * Follow the summary. `slots`: the machine grants them, a client only shows them. Without it, prompts are no longer
   * held back, because an earlier server would never grant a slot.
   */
  z.object({ type: z.literal('watch'), slots: z.enum(['grant', 'show']).optional() }),
  /** From the machine: the session may start a turn, or `ahead` others come first (D40). */
  z.object({
    type: z.literal('slot'),
    granted: z.boolean(),
    ahead: z.number().int().nonnegative().optional(),
  }),
  z.object({ type: z.literal('command'), command: commandSchema }),
  z.object({
    type: z.literal('entries'),
    before: z.number().int().nonnegative(),
    limit: z.number().int().min(1).max(PAGE).default(PAGE),
  }),
  z.object({
    type: z.literal('text'),
    entry,
    field: z.enum(APPEND_FIELDS),
    from: z.number().int().nonnegative(),
  }),
  /** Requests a preview of a restore to before this message, or of the undo of a restore (T11). Changes nothing. */
  z.object({
    type: z.literal('preview'),
    id: z.uuid(),
    entry: entry.optional(),
    restore: entry.optional(),
    /** Returns the changes that the restore would make to these files too. */
    paths: z.array(z.string().max(4096)).max(1000).optional(),
    /** Returns the difference between the checkpoints of `entry` and of another message, or the current files. */
    compare: z.object({ until: entry.optional() }).optional(),
  }),
  /**
   * Reads something from the agent by one of its controls; nothing is journaled. May be repeated. In `command`, because
   * there an earlier server or host finds the id for its error.
   */
  z.object({
    type: z.literal('query'),
    command: z.object({
      id: z.uuid(),
      what: z.enum(QUERIES),
      input: z.record(z.string().max(100), z.unknown()).optional(),
    }),
  }),
  /** The composer has focus: start the agent now, so that it is ready for the prompt. */
  z.object({ type: z.literal('wake') }),
  /** End the agent and the host. `ifIdle`: only if it has no work, which the sender cannot know. */
  z.object({ type: z.literal('end'), ifIdle: z.boolean().optional() }),
]);

/** A session that the agent keeps itself (A40). */
export const agentSessionSchema = z.object({
  id: z.string().min(1).max(200),
  directory: z.string().max(4096),
  title: z.string().optional(),
  updatedAt: z.number().optional(),
});

const refusalSchema = z.enum(Object.keys(REFUSALS) as [RefusalCode, ...RefusalCode[]]);

/** From the host. */
export const hostMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('protocol_ack'), version, session: z.string() }),
  z.object({ type: z.literal('snapshot'), snapshot: snapshotSchema }),
  z.object({
    type: z.literal('changes'),
    /** The version after them, for relays (`published-lines.ts`). */
    v: z.number().int().nonnegative().optional(),
    changes: z.array(
      z.unknown().transform((value, context): Change => {
        const change = parseChange(value);
        if (change) return change;
        context.addIssue({ code: 'custom', message: 'not a change' });
        return z.NEVER;
      }),
    ),
  }),
  z.object({ type: z.literal('live'), appends: z.array(appendSchema) }),
  z.object({
    type: z.literal('receipt'),
    command: z.string(),
    /** Version at which the command takes effect; with a refusal, nothing changed. */
    v: z.number().int().nonnegative(),
    refusal: refusalSchema.optional(),
    message: z.string().optional(),
  }),
  z.object({ type: z.literal('entries'), page: pageSchema }),
  z.object({ type: z.literal('preview'), id: z.string(), preview: restorePreviewSchema }),
  /** The agent's answer to a query. */
  z.object({
    type: z.literal('answer'),
    id: z.string(),
    ok: z.boolean(),
    text: z.string(),
    data: z.unknown().optional(),
  }),
  z.object({ type: z.literal('summary'), summary: summarySchema }),
  /** To watchers: the agent's own sessions in this directory. */
  z.object({ type: z.literal('listed'), sessions: z.array(agentSessionSchema).max(500) }),
  /** The client was too slow and live data was dropped: follow again from `v`. */
  z.object({ type: z.literal('behind'), v: z.number().int().nonnegative() }),
  z.object({
    type: z.literal('error'),
    code: errorCodeSchema,
    message: z.string(),
    hint: z.string().optional(),
    command: z.string().optional(),
  }),
]);

export type HostRequest = z.infer<typeof hostRequestSchema>;
/** As a client writes it: defaults may be left out. */
export type HostRequestInput = z.input<typeof hostRequestSchema>;
export type HostMessage = z.infer<typeof hostMessageSchema>;
export type AgentSession = z.infer<typeof agentSessionSchema>;
export type Receipt = Extract<HostMessage, { type: 'receipt' }>;
