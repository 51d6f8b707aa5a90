/** Pull requests of workspaces (B53 to B59), as pages and commands see them. Texts come from other people. */
import { z } from 'zod';

const count = z.number().int().nonnegative();
const number = z.number().int().positive();
/** A NUL would end an argument early. */
const NO_ZERO = /^[^\0]*$/s;

/** Host, owner and name of a repository; checked, because they become arguments and addresses. */
export const forgeHostSchema = z
  .string()
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?(?::\d{1,5})?$/);
export const forgeRepositorySchema = z
  .string()
  .max(300)
  .regex(/^[A-Za-z0-9_][\w.-]*(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9_.][\w.-]*)+$/);

/** Belongs to the workspace by its number (B54). */
export const pullRefSchema = z.object({
  number,
  url: z
    .string()
    .max(500)
    .regex(/^https:\/\//),
  host: forgeHostSchema,
  repository: forgeRepositorySchema,
  /** Its commits are from a fork: nothing of them runs by itself, and they get no ignored files (B91). */
  isForeign: z.boolean().optional(),
});
export type PullRef = z.infer<typeof pullRefSchema>;

export const pullCheckSchema = z.object({
  name: z.string().max(200),
  state: z.enum(['passed', 'failed', 'running', 'skipped']),
  url: z.string().max(1000).optional(),
  /** Its log can be read. */
  job: number.optional(),
});
export type PullCheck = z.infer<typeof pullCheckSchema>;

export const pullCommentSchema = z.object({
  author: z.string().max(100),
  text: z.string().max(20_000),
  /** Whether the author may write to the repository. */
  mayWrite: z.boolean(),
});

/** An unresolved review thread. */
export const pullThreadSchema = z.object({
  id: z.string().max(200),
  path: z.string().max(1000),
  line: count.optional(),
  comments: z.array(pullCommentSchema).max(20),
});
export type PullThread = z.infer<typeof pullThreadSchema>;

export const pullStateSchema = z.object({
  number,
  url: z.string().max(500),
  title: z.string().max(500),
  state: z.enum(['open', 'closed', 'merged']),
  isDraft: z.boolean(),
  review: z.enum(['approved', 'changes', 'required']).optional(),
  checks: z.array(pullCheckSchema).max(200),
  threads: z.array(pullThreadSchema).max(50),
  /** The commit that it was merged as. */
  merged: z.string().max(64).optional(),
  /** When it was read. */
  at: z.number(),
  /** Why it could not be read again. */
  stale: z.string().max(1000).optional(),
});
export type PullState = z.infer<typeof pullStateSchema>;

/** A pull request before it is created. Only the repository is read; nothing is contacted. */
export const pullPreviewSchema = z.object({
  /** Absent: only the compare page can create it. */
  tool: z.literal('gh').optional(),
  host: z.string().max(300),
  repository: z.string().max(300),
  branch: z.string().max(300),
  base: z.string().max(300),
  title: z.string().max(300),
  body: z.string().max(60_000),
  compare: z.string().max(3000),
  /** Variables of the project that choose another host, account or token (B59). */
  overrides: z.array(z.string().max(60)).max(10),
});
export type PullPreview = z.infer<typeof pullPreviewSchema>;

export const pullRequestSchema = z.object({
  base: z.string().min(1).max(250).regex(NO_ZERO),
  title: z.string().min(1).max(300).regex(NO_ZERO),
  body: z.string().max(60_000).regex(NO_ZERO),
  draft: z.boolean().optional(),
  /** The user saw what looks like secrets in title or text. */
  anyway: z.boolean().optional(),
});
export type PullRequest = z.infer<typeof pullRequestSchema>;
