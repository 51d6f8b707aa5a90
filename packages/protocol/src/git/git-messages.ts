/** Data of the git area (W3, areas/git): the status of a repository, its changes, commits, branches and stashes. */
import { z } from 'zod';
import { hunkSchema } from '../conversation/entries.ts';

/** Git's status letters: unchanged, modified, type changed, added, deleted, renamed, copied. */
export const gitStateSchema = z.enum(['.', 'M', 'T', 'A', 'D', 'R', 'C']);
export const gitFileSchema = z.object({
  path: z.string(),
  oldPath: z.string().optional(),
  index: gitStateSchema,
  /** `?` is untracked. */
  work: z.union([gitStateSchema, z.literal('?')]),
  /** The two letters of an unmerged path, ours first: `UU`, `DU`, `AA` … */
  conflict: z.string().length(2).optional(),
  submodule: z.boolean().optional(),
});

export const GIT_OPERATIONS = ['merge', 'rebase', 'cherry-pick', 'revert', 'bisect'] as const;
export const gitStatusSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('repository'),
    /** The project's folder inside the repository; empty if it is the repository. */
    prefix: z.string(),
    branch: z.string().optional(),
    /** Undefined before the first commit. */
    commit: z.string().optional(),
    upstream: z
      .object({ name: z.string(), ahead: z.number().int(), behind: z.number().int(), gone: z.boolean() })
      .optional(),
    operation: z.enum(GIT_OPERATIONS).optional(),
    stashes: z.number().int(),
    files: z.array(gitFileSchema),
    /** Number of files not in `files`. */
    more: z.number().int(),
    /** Untracked folders are collapsed, because they have too many files. */
    folded: z.boolean().optional(),
  }),
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('bare') }),
  z.object({ kind: z.literal('fault'), code: z.string(), message: z.string(), hint: z.string().optional() }),
]);

export const shownHunkSchema = hunkSchema.extend({ id: z.string() });
export const CHANGE_STATES = ['added', 'modified', 'deleted', 'renamed', 'copied', 'type'] as const;
/** One file's change; `hunks` is empty if it has no lines to show. */
export const fileChangeSchema = z.object({
  path: z.string(),
  oldPath: z.string().optional(),
  state: z.enum(CHANGE_STATES),
  hunks: z.array(shownHunkSchema),
  binary: z.boolean().optional(),
  /** Both modes, if they differ. */
  modes: z.tuple([z.string(), z.string()]).optional(),
  /** Truncated: too long to show. */
  cut: z.boolean().optional(),
  submodule: z.boolean().optional(),
});

export const gitCommitSchema = z.object({
  commit: z.string(),
  parents: z.array(z.string()),
  author: z.string(),
  email: z.string(),
  at: z.number(),
  refs: z.array(z.string()),
  subject: z.string(),
  body: z.string(),
});
export const changedFileSchema = z.object({
  path: z.string(),
  oldPath: z.string().optional(),
  state: z.enum(CHANGE_STATES),
  added: z.number().int(),
  removed: z.number().int(),
  binary: z.boolean().optional(),
});
export const gitBranchSchema = z.object({
  name: z.string(),
  remote: z.boolean(),
  commit: z.string(),
  upstream: z.string().optional(),
  track: z.string().optional(),
  at: z.number(),
  subject: z.string(),
  current: z.boolean(),
  /** Checked out in another worktree. */
  elsewhere: z.string().optional(),
});
export const gitStashSchema = z.object({
  index: z.number().int(),
  commit: z.string(),
  /** The commit with the untracked files, if there were any. */
  untracked: z.string().optional(),
  at: z.number(),
  text: z.string(),
});
export const gitWorktreeSchema = z.object({
  path: z.string(),
  branch: z.string().optional(),
  commit: z.string().optional(),
  current: z.boolean(),
  main: z.boolean(),
  locked: z.boolean(),
  missing: z.boolean(),
});
export const blameLineSchema = z.object({ commit: z.number().int(), text: z.string() });
export const blameSchema = z.object({
  path: z.string(),
  commits: z.array(gitCommitSchema.pick({ commit: true, author: true, at: true, subject: true })),
  lines: z.array(blameLineSchema),
  cut: z.boolean(),
});

export const SIDES = ['staged', 'unstaged'] as const;

export type GitStatus = z.infer<typeof gitStatusSchema>;
export type RepositoryStatus = Extract<GitStatus, { kind: 'repository' }>;
export type GitFile = z.infer<typeof gitFileSchema>;
export type GitState = z.infer<typeof gitStateSchema>;
export type GitOperation = (typeof GIT_OPERATIONS)[number];
export type Side = (typeof SIDES)[number];
export type ShownHunk = z.infer<typeof shownHunkSchema>;
export type FileChange = z.infer<typeof fileChangeSchema>;
export type ChangeState = (typeof CHANGE_STATES)[number];
export type ChangedFile = z.infer<typeof changedFileSchema>;
export type GitCommit = z.infer<typeof gitCommitSchema>;
export type GitBranch = z.infer<typeof gitBranchSchema>;
export type GitStash = z.infer<typeof gitStashSchema>;
export type GitWorktree = z.infer<typeof gitWorktreeSchema>;
export type Blame = z.infer<typeof blameSchema>;
