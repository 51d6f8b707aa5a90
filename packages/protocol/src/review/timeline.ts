/** Data of a session's timeline (T34, areas/review). */
import { z } from 'zod';

const countsSchema = z.object({
  files: z.number().int(),
  added: z.number().int(),
  removed: z.number().int(),
});

export const timelinePointSchema = z.object({
  turn: z.string(),
  at: z.number(),
  endedAt: z.number().optional(),
  /** Whether the files of its start are still recorded. */
  isKept: z.boolean(),
  /** What changed during the turn. */
  changes: countsSchema.optional(),
  /** What others changed before it, since the turn before. */
  others: countsSchema.optional(),
  commits: z.array(z.object({ commit: z.string(), subject: z.string() })).optional(),
  branch: z.string().optional(),
  /** The commit at its start. */
  commit: z.string().optional(),
});

export const timelineSchema = z.object({
  /** Oldest first. */
  points: z.array(timelinePointSchema),
  /** Number of older turns. */
  more: z.number().int(),
});

export type TimelinePoint = z.infer<typeof timelinePointSchema>;
export type Timeline = z.infer<typeof timelineSchema>;
