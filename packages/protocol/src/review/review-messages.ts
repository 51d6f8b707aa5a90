/**
 * What is asked and told on the `review` feed (W4), about one session: what changed since it began, since a turn, or
 * against a branch, and what the user made of it. Paths are relative to the project, with `/`.
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

/** Whose change it is, as far as the bounds of turns tell: made within turns of this session, outside of them, or both. */
export const CHANGED_BY = ['session', 'others', 'both'] as const;

export const reviewFileSchema = changedFileSchema.extend({
  /** The content it has now: a mark of having seen it holds for this content. */
  after: z.string(),
  by: z.enum(CHANGED_BY).optional(),
  viewed: z.boolean(),
});

export const reviewTurnSchema = z.object({
  turn: z.string(),
  at: z.number(),
  endedAt: z.number().optional(),
  /** Why the project was not recorded at its beginning. */
  skipped: z.string().optional(),
});

export const reviewCommentSchema = z.object({
  id: commentId,
  path,
  /** The line in the new version, or in the old one of a removed line. */
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
  /** How many more there are than `files` has. */
  more: z.number().int(),
  /** Why there is nothing to compare with. */
  missing: z.string().optional(),
  /** Files left out of the recording for their size. */
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
/** Something is not as it was told; what is shown is asked for again. */
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
