// The entries of a conversation as they are journaled, sent and drawn. Independent of agents and views.
import { z } from 'zod';
import { blobRefSchema, longTextSchema } from './long-text.ts';
import { toolResultSchema } from './tool-result.ts';
import { TOOL_VARIANTS } from './tool-variants.ts';

/** Upper bound, so that an invalid or hostile line cannot make us allocate memory. */
export const MAX_ENTRIES = 10_000_000;

export const ENTRY_KINDS = [
  'user',
  'text',
  'thinking',
  'tool',
  'permission',
  'question',
  'plan',
  'form',
  'notice',
  'command',
] as const;
export const ENTRY_STATUSES = ['partial', 'complete', 'cancelled', 'failed', 'stale'] as const;
export const TOOL_STATES = [
  'preparing',
  'waiting',
  'running',
  'background',
  'done',
  'failed',
  'denied',
  'interrupted',
  'stale',
] as const;
export const REQUEST_STATUSES = ['pending', 'answered', 'withdrawn', 'stale'] as const;
export const TOOL_KINDS = [
  'shell',
  'edit',
  'read',
  'search',
  'fetch',
  'agent',
  'todo',
  'think',
  'other',
] as const;
/** `doubted` is shown as "delivered?": it was being sent when the host died (M5). */
export const DELIVERIES = ['accepted', 'sending', 'delivered', 'doubted', 'dropped', 'failed'] as const;
export const NOTICES = [
  'info',
  'interrupted',
  'compaction',
  'retry',
  'model',
  'mode',
  'crash',
  'resumed',
  'fresh',
  'error',
  'injected',
] as const;

export const entryStatusSchema = z.enum(ENTRY_STATUSES);
export const toolStateSchema = z.enum(TOOL_STATES);
export const toolKindSchema = z.enum(TOOL_KINDS);
export const deliverySchema = z.enum(DELIVERIES);

export const attachmentSchema = z.object({
  name: z.string().max(1024),
  mimeType: z.string().max(255),
  size: z.number().int().nonnegative(),
  data: longTextSchema,
});

export const hunkSchema = z.object({
  oldStart: z.number().int(),
  oldLines: z.number().int(),
  newStart: z.number().int(),
  newLines: z.number().int(),
  lines: z.array(z.string()),
});
export const fileDiffSchema = z.object({
  path: z.string(),
  oldPath: z.string().optional(),
  hunks: z.array(hunkSchema),
  /** `hunks` has only the beginning of a long change; `more` has all of it and `counts` its number of lines. */
  more: blobRefSchema.optional(),
  counts: z.object({ added: z.number().int(), removed: z.number().int() }).optional(),
});

/** One readable line of a tool's input, prepared by the driver. */
export const fieldSchema = z.object({
  label: z.string(),
  value: longTextSchema,
  form: z.enum(['text', 'code', 'path', 'url']),
});

export const permissionOptionSchema = z.object({
  id: z.string(),
  label: z.string(),
  effect: z.enum(['allow-once', 'allow-always', 'reject-once', 'reject-always']),
  /** For "always": the exact rule, and the file it would be written to. */
  rule: z.string().optional(),
  file: z.string().optional(),
});

const requestBase = {
  status: z.enum(REQUEST_STATUSES),
  /** Hash of the shown content; an answer must carry the same one (C6). */
  shown: z.string(),
  answer: z.unknown().optional(),
  answeredBy: z.string().optional(),
  answeredAt: z.number().optional(),
  /** The agent's message, for the raw view; for a permission, everything except `input`. */
  raw: z.unknown().optional(),
};
export const permissionRequestSchema = z.object({
  ...requestBase,
  tool: z.string(),
  toolKind: toolKindSchema,
  title: z.string(),
  reason: z.string().optional(),
  /** The path outside the allowed directories that caused the request. */
  blockedPath: z.string().optional(),
  fields: z.array(fieldSchema),
  diff: z.array(fileDiffSchema).optional(),
  options: z.array(permissionOptionSchema),
  input: z.unknown().optional(),
  /** The input as JSON, if it has numbers that parsing would round. */
  source: longTextSchema.optional(),
  canEdit: z.boolean(),
  canComment: z.boolean(),
});
export const questionRequestSchema = z.object({
  ...requestBase,
  questions: z.array(
    z.object({
      id: z.string(),
      header: z.string(),
      text: z.string(),
      multiple: z.boolean(),
      options: z.array(
        z.object({ label: z.string(), description: z.string(), preview: z.string().optional() }),
      ),
    }),
  ),
});
export const planRequestSchema = z.object({
  ...requestBase,
  path: z.string().optional(),
  modes: z.array(z.object({ id: z.string(), label: z.string() })),
  /** The agent uses the plan from the answer. */
  canEdit: z.boolean().optional(),
});
export const formRequestSchema = z.object({
  ...requestBase,
  title: z.string(),
  message: z.string(),
  schema: z.unknown().optional(),
});

const base = {
  id: z.string().min(1).max(200),
  seq: z.number().int().nonnegative().max(MAX_ENTRIES),
  rev: z.number().int().nonnegative(),
  status: entryStatusSchema,
  at: z.number(),
  endedAt: z.number().optional(),
  turn: z.string().optional(),
  parent: z.string().optional(),
};
const text = { text: z.string(), more: blobRefSchema.optional() };

/** Missing from the agent's own transcript (A42). */
const forgotten = { forgotten: z.boolean().optional() };

export const userEntrySchema = z.object({
  ...base,
  ...text,
  kind: z.literal('user'),
  attachments: z.array(attachmentSchema).optional(),
  delivery: deliverySchema,
  why: z.string().optional(),
  ...forgotten,
  /** Sent as a steer; `turn` shows whether the turn took it (A25). */
  steered: z.boolean().optional(),
});
export const textEntrySchema = z.object({
  ...base,
  ...text,
  kind: z.literal('text'),
  ...forgotten,
  model: z.string().optional(),
});
export const thinkingEntrySchema = z.object({
  ...base,
  ...text,
  kind: z.literal('thinking'),
  durationMs: z.number().optional(),
});
export const toolEntrySchema = z.object({
  ...base,
  kind: z.literal('tool'),
  ...forgotten,
  name: z.string(),
  title: z.string(),
  toolKind: toolKindSchema,
  variant: z.enum(TOOL_VARIANTS).optional(),
  state: toolStateSchema,
  /** The raw input while it streams; the parsed input once it is complete. */
  inputText: z.string().optional(),
  input: z.unknown().optional(),
  fields: z.array(fieldSchema).optional(),
  output: z.string().optional(),
  result: toolResultSchema.optional(),
  diff: z.array(fileDiffSchema).optional(),
  error: longTextSchema.optional(),
  denied: z
    .object({ by: z.enum(['user', 'rule', 'mode', 'hook', 'agent']), why: z.string().optional() })
    .optional(),
  durationMs: z.number().optional(),
  task: z.string().optional(),
  /** One line of progress while it runs. */
  progress: z.string().optional(),
});
export const permissionEntrySchema = z.object({
  ...base,
  kind: z.literal('permission'),
  about: z.string().optional(),
  request: permissionRequestSchema,
});
export const questionEntrySchema = z.object({
  ...base,
  kind: z.literal('question'),
  request: questionRequestSchema,
});
export const planEntrySchema = z.object({
  ...base,
  ...text,
  kind: z.literal('plan'),
  request: planRequestSchema,
});
export const formEntrySchema = z.object({ ...base, kind: z.literal('form'), request: formRequestSchema });
export const noticeEntrySchema = z.object({
  ...base,
  ...text,
  kind: z.literal('notice'),
  notice: z.enum(NOTICES),
  level: z.enum(['info', 'warning', 'error']),
  detail: longTextSchema.optional(),
});
export const commandEntrySchema = z.object({
  ...base,
  ...text,
  kind: z.literal('command'),
  name: z.string(),
  /** The result as data, for views that show more than the text. */
  data: z.unknown().optional(),
  /** Requested by a separate view: not shown in the conversation. */
  hidden: z.boolean().optional(),
});

export const entrySchema = z.discriminatedUnion('kind', [
  userEntrySchema,
  textEntrySchema,
  thinkingEntrySchema,
  toolEntrySchema,
  permissionEntrySchema,
  questionEntrySchema,
  planEntrySchema,
  formEntrySchema,
  noticeEntrySchema,
  commandEntrySchema,
]);

export type Attachment = z.infer<typeof attachmentSchema>;
export type Hunk = z.infer<typeof hunkSchema>;
export type FileDiff = z.infer<typeof fileDiffSchema>;
export type Field = z.infer<typeof fieldSchema>;
export type PermissionOption = z.infer<typeof permissionOptionSchema>;
export type PermissionRequest = z.infer<typeof permissionRequestSchema>;
export type EntryKind = (typeof ENTRY_KINDS)[number];
export type EntryStatus = (typeof ENTRY_STATUSES)[number];
export type ToolState = (typeof TOOL_STATES)[number];
export type ToolKind = (typeof TOOL_KINDS)[number];
export type RequestStatus = (typeof REQUEST_STATUSES)[number];
export type Delivery = (typeof DELIVERIES)[number];
export type Notice = (typeof NOTICES)[number];
export type UserEntry = z.infer<typeof userEntrySchema>;
export type TextEntry = z.infer<typeof textEntrySchema>;
export type ThinkingEntry = z.infer<typeof thinkingEntrySchema>;
export type ToolEntry = z.infer<typeof toolEntrySchema>;
export type PermissionEntry = z.infer<typeof permissionEntrySchema>;
export type QuestionEntry = z.infer<typeof questionEntrySchema>;
export type PlanEntry = z.infer<typeof planEntrySchema>;
export type FormEntry = z.infer<typeof formEntrySchema>;
export type NoticeEntry = z.infer<typeof noticeEntrySchema>;
export type CommandEntry = z.infer<typeof commandEntrySchema>;
export type Entry = z.infer<typeof entrySchema>;
export type RequestEntry = PermissionEntry | QuestionEntry | PlanEntry | FormEntry;

/** An entry without the fields that the fold (`seq`, `rev`) and the change (`at`) add. */
type WithoutStamp<E> = E extends unknown ? Omit<E, 'seq' | 'rev' | 'at' | 'endedAt'> : never;
export type NewEntry = WithoutStamp<Entry>;

const stampFields = { seq: true, rev: true, at: true, endedAt: true } as const;
export const newEntrySchema = z.discriminatedUnion('kind', [
  userEntrySchema.omit(stampFields),
  textEntrySchema.omit(stampFields),
  thinkingEntrySchema.omit(stampFields),
  toolEntrySchema.omit(stampFields),
  permissionEntrySchema.omit(stampFields),
  questionEntrySchema.omit(stampFields),
  planEntrySchema.omit(stampFields),
  formEntrySchema.omit(stampFields),
  noticeEntrySchema.omit(stampFields),
  commandEntrySchema.omit(stampFields),
]);

/** Fields that may change after an entry was opened. The fold ignores fields that the entry's kind does not have. */
export const entryPatchSchema = z.object({
  ...text,
  text: z.string().optional(),
  ...forgotten,
  model: z.string().optional(),
  title: z.string().optional(),
  toolKind: toolKindSchema.optional(),
  state: toolStateSchema.optional(),
  inputText: z.string().optional(),
  input: z.unknown().optional(),
  fields: z.array(fieldSchema).optional(),
  output: z.string().optional(),
  result: toolResultSchema.optional(),
  diff: z.array(fileDiffSchema).optional(),
  error: longTextSchema.optional(),
  denied: toolEntrySchema.shape.denied,
  durationMs: z.number().optional(),
  task: z.string().optional(),
  progress: z.string().optional(),
  data: z.unknown().optional(),
  delivery: deliverySchema.optional(),
  why: z.string().optional(),
  detail: longTextSchema.optional(),
});
export type EntryPatch = z.infer<typeof entryPatchSchema>;

export function isRequest(entry: Entry): entry is RequestEntry {
  return 'request' in entry;
}

export function isOpen(entry: Entry): boolean {
  return entry.status === 'partial';
}
