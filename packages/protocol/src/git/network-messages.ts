/** Fetching, pulling and pushing (W41, B52), as pages and commands see it. */
import { z } from 'zod';

const count = z.number().int().nonnegative();
const commit = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);
/** A NUL would end the name early. */
const name = z
  .string()
  .min(1)
  .max(250)
  .regex(/^[^\0]*$/s);

export const pushedCommitSchema = z.object({
  commit,
  author: z.string().max(200),
  subject: z.string().max(500),
});
export type PushedCommit = z.infer<typeof pushedCommitSchema>;

/** Something that looks like a secret; only its first characters are shown. */
export const secretSchema = z.object({
  kind: z.string().max(60),
  /** A file, or where else it is: a commit message or the branch name. */
  where: z.string().max(4096),
  line: count.optional(),
  commit: commit.optional(),
  begins: z.string().max(12),
});
export type Secret = z.infer<typeof secretSchema>;

export const pushChoiceSchema = z.object({
  /** The current one by default. */
  branch: name.optional(),
  remote: name.optional(),
});
export type PushChoice = z.infer<typeof pushChoiceSchema>;

/** A push before it is sent. Nothing is contacted. */
export const pushPreviewSchema = z.object({
  branch: z.string().max(300),
  commit,
  remote: z.string().max(250),
  remotes: z.array(z.string().max(250)).max(50),
  /** Where it goes, without names and passwords. */
  addresses: z.array(z.string().max(4096)).max(10),
  /** The remote's branch as last seen; absent if it was never seen. */
  seen: commit.optional(),
  /** The newest ones that the remote lacks. */
  commits: z.array(pushedCommitSchema).max(100),
  ahead: count,
  /** Changed files in these commits, at most 200. */
  files: z.array(z.string().max(4096)).max(200),
  /** Commits of the remote's branch that this one lacks. */
  behind: count,
  /** Those that the remote's branch would lose; only where it may be overwritten. */
  lost: z.array(pushedCommitSchema).max(100).optional(),
  secrets: z.array(secretSchema).max(50),
  /** Why not everything was checked for secrets. */
  unchecked: z.string().max(200).optional(),
  /** For a shell. */
  command: z.string().max(2000),
  refusal: z.string().max(500).optional(),
});
export type PushPreview = z.infer<typeof pushPreviewSchema>;

export const pushRequestSchema = z.object({
  branch: name,
  remote: name,
  /** Both as previewed; the push is refused if one has moved. */
  commit,
  seen: commit.optional(),
  /** Replaces the remote's branch, which must still be at `seen`. */
  overwrite: z.boolean().optional(),
  /** The user saw what looks like secrets. */
  anyway: z.boolean().optional(),
});
export type PushRequest = z.infer<typeof pushRequestSchema>;
