/** Schemas of replies used by several views of the card. */
import {
  changedFileSchema,
  gitBranchSchema,
  gitCommitSchema,
  gitStashSchema,
  gitWorktreeSchema,
} from '@tugdeck/protocol/git/git-messages';
import { z } from 'zod';

export const logSchema = z.object({ commits: z.array(gitCommitSchema), more: z.boolean() });
export const filesSchema = z.object({ files: z.array(changedFileSchema) });
export const branchesSchema = z.object({ branches: z.array(gitBranchSchema) });
export const stashesSchema = z.object({ stashes: z.array(gitStashSchema) });
export const worktreesSchema = z.object({ worktrees: z.array(gitWorktreeSchema) });
export const madeSchema = z.object({ path: z.string() });
