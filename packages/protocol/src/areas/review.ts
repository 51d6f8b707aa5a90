/**
 * The review area (W4), about a session: changes since its start, since a turn, between two turns or against a branch, and the user's
 * review of them. Paths are relative to the project, with `/`.
 */
import { z } from 'zod';
import { fileChangeSchema } from '../git/git-messages.ts';
import { reviewCommentSchema, reviewScopeSchema, reviewStateSchema } from '../review/review-messages.ts';
import { timelineSchema } from '../review/timeline.ts';
import { defineArea, done, nothing } from './area.ts';

const path = z.string().min(1).max(4096);
const hunk = z.string().regex(/^[0-9a-f]{16}-\d{1,6}$/);
const undo = z.object({ undo: z.string().max(100) });
const comment = reviewCommentSchema.shape.id;

export const review = defineArea('review', {
  about: z.object({ session: z.string().min(1).max(100) }),
  /** The review changed; the page reads it again. */
  events: z.object({ changed: z.literal(true) }),
  calls: {
    state: { input: z.object({ scope: reviewScopeSchema }), output: reviewStateSchema },
    diff: {
      input: z.object({ scope: reviewScopeSchema, path, whole: z.boolean().optional() }),
      output: fileChangeSchema,
    },
    branches: { input: nothing, output: z.object({ branches: z.array(z.string()) }) },
    viewed: { input: z.object({ path, after: z.string().max(64), viewed: z.boolean() }), output: done },
    accept: { input: z.object({ path, hunk, accepted: z.boolean() }), output: done },
    revert: { input: z.object({ scope: reviewScopeSchema, path, hunk: hunk.optional() }), output: undo },
    undo: { input: undo, output: done },
    'comment.add': {
      input: z.object({
        comment: reviewCommentSchema.pick({ path: true, side: true, line: true, quote: true, text: true }),
      }),
      output: reviewCommentSchema,
    },
    'comment.edit': { input: z.object({ comment, text: z.string().min(1).max(20_000) }), output: done },
    'comment.remove': { input: z.object({ comment }), output: done },
    'comment.sent': { input: z.object({ comments: z.array(comment).min(1).max(500) }), output: done },
    'comment.answered': { input: z.object({ comment, answer: z.string().max(20_000) }), output: done },
    timeline: { input: z.object({ limit: z.number().int().min(1).max(2_000) }), output: timelineSchema },
  },
});
