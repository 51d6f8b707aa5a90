/** Workspaces (B1): separate checkouts of a project's repository, as pages and commands see them. */
import { z } from 'zod';

const id = z.string().min(1).max(100);
const text = z.string().max(4096);
const count = z.number().int().nonnegative();

/**
 * `creating`, `archiving` and `restoring` have an operation in progress; `failed` could not be created; `missing`
 * was deleted by another program; `emptied` is an archive whose time is over.
 */
export const workspaceStateSchema = z.enum([
  'creating',
  'ready',
  'archiving',
  'archived',
  'restoring',
  'missing',
  'failed',
  'emptied',
]);
export type WorkspaceState = z.infer<typeof workspaceStateSchema>;

export const workspaceRowSchema = z.object({
  id,
  project: id,
  name: z.string().max(100),
  state: workspaceStateSchema,
  /** The session's directory: the worktree, or the project's folder in it. */
  path: text,
  branch: z.string().max(300).optional(),
  /** The branch it was created from, and the commit at that time. */
  base: z.string().max(300).optional(),
  baseCommit: z.string().max(64).optional(),
  /** The first of its ten ports. */
  port: z.number().int().optional(),
  /** The step of a running operation. */
  step: z.string().max(40).optional(),
  /** Why it could not be created, or what its setup reported. */
  fault: z.string().max(1000).optional(),
  /** Notes about its creation, such as copied files. */
  notes: z.array(z.string().max(500)).max(20).optional(),
  createdAt: z.number(),
  archivedAt: z.number().optional(),
});
export type WorkspaceRow = z.infer<typeof workspaceRowSchema>;

/** The user's choices for a new workspace; everything else has a default. */
export const workspaceSpecSchema = z.object({
  /** Becomes the name of folder and branch, unless those are given. */
  title: z.string().max(2_000).optional(),
  name: z.string().max(60).optional(),
  base: z.string().max(300).optional(),
  branch: z.string().max(200).optional(),
  /** Without the setup command. */
  noSetup: z.boolean().optional(),
});
export type WorkspaceSpec = z.infer<typeof workspaceSpecSchema>;

/** Files, commits and programs that archiving would keep, drop or end (B60). */
export const workspaceContentsSchema = z.object({
  changed: count,
  untracked: count,
  staged: count,
  /** Commits that neither the base nor a remote has. */
  ownCommits: count,
  /** Ignored files and folders that are kept; folded, at most 200. */
  ignored: z.array(text).max(200),
  /** Folders that programs create again; not kept. */
  dropped: z.array(z.object({ path: text, bytes: z.number() })).max(200),
  branch: z.string().max(300).optional(),
  /** The branch is deleted, because it was created for the workspace and its base has all its commits. */
  deletesBranch: z.boolean(),
  terminals: count,
  agents: count,
  /** Why it can't be archived now. */
  refusal: z.string().max(500).optional(),
});
export type WorkspaceContents = z.infer<typeof workspaceContentsSchema>;

/** Bytes on disk. */
export const workspaceSizeSchema = z.object({ id, worktree: z.number(), archive: z.number() });
export type WorkspaceSize = z.infer<typeof workspaceSizeSchema>;
