/** Landing a workspace on its base branch (B41 to B49), as pages and commands see it. */
import { z } from 'zod';

const text = z.string().max(4096);
const count = z.number().int().nonnegative();
const commit = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);
const branch = z.string().min(1).max(300);
/** Without NUL, which would end an argument early. */
const message = z
  .string()
  .max(20_000)
  .regex(/^[^\0]*$/s);

/** `changes` copies the work into the checkout, uncommitted; the base branch stays. */
export const landMethodSchema = z.enum(['squash', 'merge', 'rebase', 'changes']);
export type LandMethod = z.infer<typeof landMethodSchema>;

export const landChoiceSchema = z.object({
  method: landMethodSchema.optional(),
  /** The branch to land on; the base by default. */
  onto: branch.optional(),
});
export type LandChoice = z.infer<typeof landChoiceSchema>;

/** What landing would do, computed without changing anything. */
export const landPreviewSchema = z.object({
  method: landMethodSchema,
  onto: branch.optional(),
  /** The commits of this preview; landing is refused if one has moved. */
  base: commit.optional(),
  head: commit.optional(),
  branch: branch.optional(),
  uncommitted: count,
  /** Their names, at most 200. */
  files: z.array(text).max(200),
  /** Commits that the base lacks, and those that the workspace lacks. */
  ahead: count,
  behind: count,
  /** Files that would conflict, at most 200. Absent: git is too old to tell, or nothing can land. */
  conflicts: z.array(text).max(200).optional(),
  /** An unfinished merge or rebase in the workspace, and its conflicts. */
  unfinished: z.object({ operation: z.string().max(20), conflicts: z.array(text).max(200) }).optional(),
  /** Where the branch is checked out: its changed files, and those that landing would overwrite. */
  checkout: z.object({ path: text, changed: count, blocking: z.array(text).max(200) }).optional(),
  /** Files that `changes` would write, and those that it would merge. */
  carry: z.object({ files: count, merged: count, hash: z.string().max(100) }).optional(),
  check: text.optional(),
  message,
  refusal: z.string().max(500).optional(),
});
export type LandPreview = z.infer<typeof landPreviewSchema>;

export const landRequestSchema = landChoiceSchema.extend({
  base: commit,
  head: commit,
  message: message.optional(),
  /** Leaves uncommitted files where they are. */
  leave: z.boolean().optional(),
  /** Lands although the check fails. */
  anyway: z.boolean().optional(),
  /** Archives the workspace afterwards. */
  archive: z.boolean().optional(),
});
export type LandRequest = z.infer<typeof landRequestSchema>;

/** How the last landing ended. */
export const landedSchema = z.object({
  at: z.number(),
  method: landMethodSchema,
  onto: branch,
  /** Absent for `changes`. */
  commit: commit.optional(),
});
export type Landed = z.infer<typeof landedSchema>;
