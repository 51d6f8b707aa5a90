/**
 * Messages of the `review` feed (W4), for one session: changes since its start, since a turn, or against a branch,
 * and the user's review of them. Paths are relative to the project, with `/`.
 */
import { z } from 'zod';
import { changedFileSchema, fileChangeSchema } from '../git/git-messages.ts';

const path = z.string().min(1).max(4096);
const hunk = z.string().regex(/^[0-9a-f]{16}-\d{1,6}$/);
const commentId = z.string().regex(/^R\d{1,6}$/);

export const reviewAboutSchema = z.object({ session: z.string().min(1).max(100) });

export const reviewScopeSchema = z.discriminatedUnion('since', [
  z.object({ since: z.literal('session') }),
  z.object({ since: z.literal('turn'), turn: z.string().min(1).max(200) }),
  z.object({ since: z.literal('branch'), branch: z.string().min(1).max(250) }),
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

export const reviewUndoSchema = z.object({ undo: z.string().max(100) });

export const reviewAskSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('state'), scope: reviewScopeSchema }),
  z.object({ type: z.literal('diff'), scope: reviewScopeSchema, path, whole: z.boolean().optional() }),
  z.object({ type: z.literal('branches') }),
  z.object({ type: z.literal('viewed'), path, after: z.string().max(64), viewed: z.boolean() }),
  z.object({ type: z.literal('accept'), path, hunk, accepted: z.boolean() }),
  z.object({ type: z.literal('revert'), scope: reviewScopeSchema, path, hunk: hunk.optional() }),
  z.object({ type: z.literal('undo'), undo: z.string().max(100) }),
  z.object({
    type: z.literal('comment.add'),
    comment: reviewCommentSchema.pick({ path: true, side: true, line: true, quote: true, text: true }),
  }),
  z.object({ type: z.literal('comment.edit'), comment: commentId, text: z.string().min(1).max(20_000) }),
  z.object({ type: z.literal('comment.remove'), comment: commentId }),
  z.object({ type: z.literal('comment.sent'), comments: z.array(commentId).min(1).max(500) }),
  z.object({ type: z.literal('comment.answered'), comment: commentId, answer: z.string().max(20_000) }),
]);
/** The review changed; the page requests it again. */
export const reviewPushSchema = z.object({ changed: z.literal(true) });
export const reviewDiffSchema = fileChangeSchema;

export type ReviewAbout = z.infer<typeof reviewAboutSchema>;
export type ReviewAsk = z.infer<typeof reviewAskSchema>;
export type ReviewScope = z.infer<typeof reviewScopeSchema>;
export type ReviewFile = z.infer<typeof reviewFileSchema>;
export type ReviewTurn = z.infer<typeof reviewTurnSchema>;
export type ReviewComment = z.infer<typeof reviewCommentSchema>;
export type ReviewState = z.infer<typeof reviewStateSchema>;
export type ChangedBy = (typeof CHANGED_BY)[number];
