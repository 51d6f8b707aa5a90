/**
 * The changes that make up a conversation. Durable changes have a version and are journaled; a live append has an
 * offset instead. Kinds are only ever added, because hosts outlive upgrades.
 */
import { z } from 'zod';
import {
  deliverySchema,
  entryPatchSchema,
  entrySchema,
  entryStatusSchema,
  newEntrySchema,
} from './entries.ts';
import { RESTORE_CHANGES } from './restore.ts';
import {
  agentStatusSchema,
  denialSchema,
  queuedPromptSchema,
  sessionInfoSchema,
  TURN_ENDS,
  todoSchema,
  usageSchema,
} from './session-info.ts';

const id = z.string().min(1).max(200);

/** Maximum length of the kept sample of an unrecognized message. */
export const MAX_SAMPLE = 500;

export const changeBodySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('session.described'), facts: sessionInfoSchema }),
  z.object({ kind: z.literal('agent.changed'), agent: agentStatusSchema }),
  z.object({
    kind: z.literal('prompt.accepted'),
    prompt: queuedPromptSchema.omit({ at: true }),
  }),
  z.object({ kind: z.literal('prompt.queued'), prompt: queuedPromptSchema.omit({ at: true }) }),
  z.object({ kind: z.literal('prompt.edited'), prompt: id, text: z.string() }),
  z.object({ kind: z.literal('prompt.moved'), prompt: id, to: z.number().int().nonnegative() }),
  z.object({ kind: z.literal('prompt.withdrawn'), prompt: id }),
  z.object({
    kind: z.literal('prompt.progressed'),
    prompt: id,
    delivery: deliverySchema,
    why: z.string().optional(),
  }),
  z.object({
    kind: z.literal('turn.started'),
    turn: id,
    origin: z.enum(['user', 'agent']),
    prompts: z.array(id),
  }),
  /** A prompt that the agent took into the running turn. */
  z.object({ kind: z.literal('turn.joined'), turn: id, prompt: id }),
  z.object({
    kind: z.literal('turn.changed'),
    phase: z.enum(['running', 'compacting', 'retrying']),
    note: z.string().optional(),
    until: z.number().optional(),
    /** Instead of `until`, for drivers, which have no clock: milliseconds from the time of this change. */
    waitMs: z.number().nonnegative().optional(),
  }),
  /** The agent has been silent since then (H7); without a time, it is active again. */
  z.object({ kind: z.literal('turn.quiet'), since: z.number().optional() }),
  z.object({ kind: z.literal('turn.cancelling') }),
  z.object({
    kind: z.literal('turn.ended'),
    turn: id,
    endedBy: z.enum(TURN_ENDS),
    why: z.string().optional(),
    denied: z.array(denialSchema).optional(),
  }),
  z.object({ kind: z.literal('entry.opened'), entry: newEntrySchema }),
  z.object({ kind: z.literal('entry.patched'), entry: id, patch: entryPatchSchema }),
  z.object({
    kind: z.literal('entry.closed'),
    entry: id,
    status: entryStatusSchema.exclude(['partial']),
    patch: entryPatchSchema.optional(),
  }),
  /** The whole entry, repeated before a change to an entry of an older journal segment. */
  z.object({ kind: z.literal('entry.restated'), entry: entrySchema }),
  z.object({
    kind: z.literal('request.settled'),
    entry: id,
    status: z.enum(['answered', 'withdrawn', 'stale']),
    answer: z.unknown().optional(),
    by: z.string().optional(),
  }),
  z.object({ kind: z.literal('config.requested'), option: z.string().max(100), value: z.string() }),
  z.object({ kind: z.literal('config.refused'), option: z.string().max(100), why: z.string() }),
  z.object({ kind: z.literal('agent.requested'), action: z.enum(['restart', 'stop']) }),
  z.object({ kind: z.literal('usage.updated'), usage: usageSchema }),
  z.object({ kind: z.literal('todos.replaced'), todos: z.array(todoSchema) }),
  z.object({
    kind: z.literal('drift.counted'),
    what: z.string().max(200),
    sample: z.string().max(MAX_SAMPLE).optional(),
  }),
  /** The session was handed off to another checkout or workspace (B74). */
  z.object({ kind: z.literal('workspace.changed'), from: z.string(), directory: z.string() }),
  ...RESTORE_CHANGES,
]);

const stamp = {
  v: z.number().int().positive(),
  /** Milliseconds since the epoch, by the host's clock. */
  at: z.number(),
  /** Id of the command that caused it; the fold keeps these ids as receipts. */
  cause: z.string().max(200).optional(),
};
const stampSchema = z.object({ ...stamp, kind: z.string() });
/** A change of an unknown kind: it advances `v` and nothing else. */
export const unknownChangeSchema = z.looseObject({ ...stamp, kind: z.string() });

export const APPEND_FIELDS = ['text', 'inputText', 'output'] as const;
export const appendSchema = z.object({
  entry: id,
  field: z.enum(APPEND_FIELDS),
  /** Offset of `text` in the field, in UTF-16 units. */
  at: z.number().int().nonnegative(),
  text: z.string(),
});

export type ChangeBody = z.infer<typeof changeBodySchema>;
export type Change = ChangeBody & { v: number; at: number; cause?: string | undefined };
export type ChangeKind = ChangeBody['kind'];
export type Append = z.infer<typeof appendSchema>;
export type AppendField = (typeof APPEND_FIELDS)[number];

const KNOWN = new Set<string>(changeBodySchema.options.map((option) => option.shape.kind.value));

/** Parses a change from outside. An unknown kind is passed through; an invalid known one returns undefined. */
export function parseChange(value: unknown): Change | undefined {
  const stamped = stampSchema.safeParse(value);
  if (!stamped.success) return undefined;
  const { kind, ...stamp } = stamped.data;
  if (!KNOWN.has(kind)) return unknownChangeSchema.parse(value) as unknown as Change;
  const body = changeBodySchema.safeParse(value);
  return body.success ? { ...body.data, ...stamp } : undefined;
}
