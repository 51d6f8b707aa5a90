/**
 * Restoring a checkpoint (T11–T29): its changes and records in a conversation, and the preview. Schemas only.
 */
import { z } from 'zod';

const id = z.string().min(1).max(200);

/** The parts that are restored. A restore of both is one operation with one undo. */
export const restorePartsSchema = z.object({
  files: z.boolean(),
  conversation: z.boolean(),
  /** The branch moves back with the files (T31). */
  branch: z.boolean().optional(),
});

/** Numbers of files, by state. */
export const restoreCountsSchema = z.record(z.string().max(40), z.number().int().nonnegative());

export const RESTORE_OUTCOMES = ['done', 'partial', 'undone', 'abandoned'] as const;
export const restoreOutcomeSchema = z.enum(RESTORE_OUTCOMES);

/** The user's message before which everything is restored, and its turn. */
export const restoreTargetSchema = z.object({ entry: id, turn: id.optional() });

/** Where the agent's next start continues. `told`: a new session, to which the user hands the history. */
export const memorySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('resume'), id }),
  z.object({ kind: z.literal('fork'), id, at: id }),
  z.object({ kind: z.literal('told'), upTo: z.number().int().nonnegative() }),
  z.object({ kind: z.literal('new') }),
]);

const range = {
  /** Sequence numbers: `from` is included, `to` is not. */
  from: z.number().int().nonnegative(),
  to: z.number().int().nonnegative(),
  /** The agent's session that knows these entries. */
  agentSession: z.string().max(200).optional(),
};

/** New kinds of changes; older programs only advance the version. */
export const RESTORE_CHANGES = [
  z.object({
    kind: z.literal('restore.began'),
    restore: id,
    target: restoreTargetSchema,
    parts: restorePartsSchema,
    /** The hash of the plan that was shown. */
    plan: z.string().max(100).optional(),
    counts: restoreCountsSchema.optional(),
    /** The restore that this one undoes. */
    undoes: id.optional(),
  }),
  z.object({
    kind: z.literal('restore.ended'),
    restore: id,
    outcome: restoreOutcomeSchema,
    counts: restoreCountsSchema.optional(),
  }),
  z.object({ kind: z.literal('entries.aside'), restore: id, ...range }),
  z.object({ kind: z.literal('entries.returned'), restore: id }),
  z.object({ kind: z.literal('memory.changed'), memory: memorySchema }),
] as const;

export const asideSchema = z.object({ restore: id, ...range });

export const restoreRecordSchema = z.object({
  id,
  at: z.number(),
  target: restoreTargetSchema,
  parts: restorePartsSchema,
  /** Open: it began and did not end, because of a crash or a full disk. */
  state: z.enum(['open', ...RESTORE_OUTCOMES]),
  counts: restoreCountsSchema.optional(),
  undoes: id.optional(),
  /** The number of the entry before which it is shown. */
  seq: z.number().int().nonnegative().optional(),
  /** The entries that it set aside, even if they returned since. */
  aside: z.object(range).optional(),
});

export type Memory = z.infer<typeof memorySchema>;
export type Aside = z.infer<typeof asideSchema>;
export type RestoreRecord = z.infer<typeof restoreRecordSchema>;

/** Restores that are remembered, and can be undone from the conversation. */
export const MAX_RESTORES = 50;

/** A file of a preview. */
export const previewFileSchema = z.object({
  path: z.string(),
  state: z.enum(['restored', 'recreated', 'removed', 'merged', 'conflict', 'guarded', 'kept']),
  why: z.string().max(40).optional(),
});

export const restorePreviewSchema = z.object({
  /** A command names it to do exactly this. Absent if files can't be restored. */
  plan: z.string().max(100).optional(),
  /** Why files can't be restored. */
  missing: z.string().optional(),
  files: z.array(previewFileSchema),
  /** Files that are not listed. */
  more: z.number().int().nonnegative(),
  counts: restoreCountsSchema,
  /** The checkpoint may contain the agent's first changes. */
  late: z.boolean(),
  /** Turns that can't be reverted, or only in part: another session was working too, or trees are missing. */
  gaps: z.array(z.object({ turn: z.string(), why: z.enum(['missing', 'shared']) })),
  /** Files that a checkpoint does not have because of their size. */
  leftOut: z.number().int().nonnegative(),
  /** Branch and commit at the checkpoint, and now. */
  head: z
    .object({
      before: z.object({ commit: z.string(), branch: z.string().optional() }).optional(),
      now: z.object({ commit: z.string(), branch: z.string().optional() }).optional(),
    })
    .optional(),
  /** Commits since, newest first. */
  commits: z.array(z.object({ commit: z.string(), subject: z.string() })).optional(),
  /** The branch has moved since (T31): it can be moved back from the commit `tip`, or `stays` says why not. */
  branch: z
    .object({
      name: z.string().optional(),
      tip: z.string().optional(),
      stays: z.string().max(40).optional(),
      /** Number of commits that a remote has. */
      pushed: z.number().int().nonnegative(),
    })
    .optional(),
  /** Commands that ran since, oldest first. Their effects outside of these files stay. */
  commands: z.array(z.string()).optional(),
  /** The difference of the requested files, as a unified diff. */
  patch: z.string().optional(),
  /** Where the agent continues afterwards. */
  memory: z.enum(['resume', 'fork', 'told', 'new']),
});
export type RestorePreview = z.infer<typeof restorePreviewSchema>;
