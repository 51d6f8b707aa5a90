/** Workspaces (B1): separate checkouts of a project's repository, as pages and commands see them. */
import { z } from 'zod';
import { landedSchema } from './landing.ts';
import { pullRefSchema } from './pull.ts';

const id = z.string().min(1).max(100);
const text = z.string().max(4096);
/** A NUL would end the name early. */
const NO_ZERO = /^[^\0]*$/s;
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
  /** The operation in progress, and its step. */
  operation: z.string().max(20).optional(),
  step: z.string().max(40).optional(),
  /** Why it could not be created, or what its setup reported. */
  fault: z.string().max(1000).optional(),
  /** Notes about its creation, such as copied files. */
  notes: z.array(z.string().max(500)).max(20).optional(),
  landed: landedSchema.optional(),
  /** Why the last landing stopped. */
  landFault: z.object({ code: z.string().max(40), message: z.string().max(1000) }).optional(),
  pull: pullRefSchema.optional(),
  createdAt: z.number(),
  archivedAt: z.number().optional(),
});
export type WorkspaceRow = z.infer<typeof workspaceRowSchema>;

/** The user's choices for a new workspace; everything else has a default. */
export const workspaceSpecSchema = z.object({
  /** Becomes the name of folder and branch, unless those are given. */
  title: z.string().max(2_000).optional(),
  name: z.string().max(60).optional(),
  base: z.string().max(300).regex(NO_ZERO).optional(),
  branch: z.string().max(200).regex(NO_ZERO).optional(),
  /** Starts with the files and the commit before a message of a session (T36). */
  checkpoint: z
    .object({ session: id, turn: z.string().min(1).max(200), message: z.string().min(1).max(200) })
    .optional(),
  /** Without the setup command. */
  noSetup: z.boolean().optional(),
  /** With a copy of the checkout's uncommitted changes (B6). */
  withChanges: z.boolean().optional(),
});
export type WorkspaceSpec = z.infer<typeof workspaceSpecSchema>;

/** Where a new session starts if the user didn't choose: by whether others work in the checkout, or always the same. */
export const WORKSPACE_STARTS = ['auto', 'checkout', 'workspace'] as const;
export type WorkspaceStart = (typeof WORKSPACE_STARTS)[number];

/** Describes a new workspace before it is created (B82). Reads the repository; fetches and writes nothing. */
export const workspacePlanSchema = z.object({
  start: z.enum(WORKSPACE_STARTS),
  /** Why the project can't have workspaces. The other fields are absent then. */
  refusal: z.string().max(500).optional(),
  base: z.string().max(300).optional(),
  baseCommit: z.string().max(64).optional(),
  /** Commits that the base has and the checkout lacks, and the other way around. */
  ahead: count.optional(),
  behind: count.optional(),
  /** Whether the base is fetched when the workspace is created. */
  fetches: z.boolean().optional(),
  /** The branch's name, with `{slug}` for the first words of the message. */
  branch: z.string().max(300).optional(),
  /** Uncommitted files in the checkout. */
  changes: count.optional(),
  setup: z.string().max(4096).optional(),
  /** How many workspaces the project has, if that reaches the user's limit (B71). */
  tooMany: count.optional(),
  /** Base branches to choose from, the usual ones first. */
  bases: z.array(z.string().max(300)).max(50).optional(),
});
export type WorkspacePlan = z.infer<typeof workspacePlanSchema>;

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

/** A workspace now, compared with its base (B5, B36). */
export const workspaceStatusSchema = z.object({
  branch: z.string().max(300).optional(),
  /** Commits that the base lacks, and commits of the base that it lacks. */
  ahead: count.optional(),
  behind: count.optional(),
  /** Its branch was deleted. */
  branchGone: z.boolean().optional(),
  /** The branch it was on before somebody switched it. */
  switchedFrom: z.string().max(300).optional(),
  /** Names of the user's run commands. */
  runs: z.array(z.string().max(40)).max(20).optional(),
  /** The folder of git hooks, which doesn't exist here, so that hooks don't run (B88). */
  missingHooks: z.string().max(300).optional(),
});
export type WorkspaceStatus = z.infer<typeof workspaceStatusSchema>;

/** A worktree that another program or the user created (B89). */
export const foundWorktreeSchema = z.object({
  path: text,
  branch: z.string().max(300).optional(),
  commit: z.string().max(64).optional(),
  /** Git's lock; empty if it has no reason. */
  lock: z.string().max(300).optional(),
  isMissing: z.boolean(),
});
export type FoundWorktree = z.infer<typeof foundWorktreeSchema>;

/** Bytes on disk. */
export const workspaceSizeSchema = z.object({
  id,
  worktree: z.number(),
  archive: z.number(),
  /** The part of the worktree that programs create again. */
  ignored: z.number().optional(),
});
export type WorkspaceSize = z.infer<typeof workspaceSizeSchema>;
