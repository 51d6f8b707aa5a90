/** Data of the review area (W4, areas/review). Paths are relative to the project, with `/`. */
import { z } from 'zod';
import { changedFileSchema } from '../git/git-messages.ts';

const path = z.string().min(1).max(4096);
const hunk = z.string().regex(/^[0-9a-f]{16}-\d{1,6}$/);
const commentId = z.string().regex(/^R\d{1,6}$/);

export const reviewScopeSchema = z.discriminatedUnion('since', [
  z.object({ since: z.literal('session') }),
  z.object({ since: z.literal('turn'), turn: z.string().min(1).max(200) }),
  /** From the start of one turn to the start of another (T35). */
  z.object({
    since: z.literal('between'),
    turn: z.string().min(1).max(200),
    until: z.string().min(1).max(200),
  }),
  z.object({ since: z.literal('branch'), branch: z.string().min(1).max(250) }),
  /** Of an attempt (B39): against the commit that all started from, or against another one's current files. */
  z.object({ since: z.literal('attempt'), other: z.string().min(1).max(100).optional() }),
]);

/** Who made a change, as far as the turn trees show: turns of this session, others, or both. */
export const CHANGED_BY = ['session', 'others', 'both'] as const;

export const reviewFileSchema = changedFileSchema.extend({
  /** Hash of the current content; a viewed mark applies to this content only. */
  after: z.string(),
  by: z.enum(CHANGED_BY).optional(),
  viewed: z.boolean(),
});

export const reviewTurnSchema = z.object({
  turn: z.string(),
  at: z.number(),
  endedAt: z.number().optional(),
  /** Why the project was not recorded at the turn's start. */
  skipped: z.string().optional(),
});

export const reviewCommentSchema = z.object({
  id: commentId,
  path,
  /** The line in the new version, or in the old one for a removed line. */
  side: z.enum(['new', 'old']),
  line: z.number().int().min(1),
  quote: z.string().max(2_000),
  text: z.string().min(1).max(20_000),
  at: z.number(),
  sentAt: z.number().optional(),
  answer: z.string().max(20_000).optional(),
});

export const reviewStateSchema = z.object({
  scope: reviewScopeSchema,
  turns: z.array(reviewTurnSchema),
  files: z.array(reviewFileSchema),
  /** Number of files not in `files`. */
  more: z.number().int(),
  /** Why nothing can be compared. */
  missing: z.string().optional(),
  /** Files that were too large to be recorded. */
  left: z.number().int(),
  accepted: z.array(z.object({ path, hunk })),
  comments: z.array(reviewCommentSchema),
});

export type ReviewScope = z.infer<typeof reviewScopeSchema>;
export type ReviewFile = z.infer<typeof reviewFileSchema>;
export type ReviewTurn = z.infer<typeof reviewTurnSchema>;
export type ReviewComment = z.infer<typeof reviewCommentSchema>;
export type ReviewState = z.infer<typeof reviewStateSchema>;
export type ChangedBy = (typeof CHANGED_BY)[number];
