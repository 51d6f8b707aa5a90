/**
 * The git area (W3), about a project's repository. Paths are relative to the repository root, with `/`. Hunks are
 * identified by their content, so that an operation on a changed hunk is refused, never misplaced.
 */
import { z } from 'zod';
import {
  blameSchema,
  changedFileSchema,
  fileChangeSchema,
  gitBranchSchema,
  gitCommitSchema,
  gitStashSchema,
  gitStatusSchema,
  gitWorktreeSchema,
  SIDES,
} from '../git/git-messages.ts';
import { pushChoiceSchema, pushPreviewSchema, pushRequestSchema } from '../git/network-messages.ts';
import { defineArea, done, nothing } from './area.ts';

/** A NUL would end the name early. */
const NO_ZERO = /^[^\0]*$/s;
const path = z.string().min(1).max(4096).regex(NO_ZERO);
const paths = z.object({ paths: z.array(path).min(1).max(20_000) });
const hunk = z.object({ path, hunk: z.string().regex(/^[0-9a-f]{16}-\d{1,6}$/) });
const commit = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);
const name = z.string().min(1).max(250).regex(NO_ZERO);
const whole = z.boolean().optional();
const confirmed = z.boolean().optional();

export const git = defineArea('git', {
  about: z.object({ project: z.string().min(1).max(100) }),
  state: gitStatusSchema,
  calls: {
    status: { input: nothing, output: gitStatusSchema },
    init: { input: nothing, output: gitStatusSchema },
    diff: { input: z.object({ path, side: z.enum(SIDES), whole }), output: fileChangeSchema },
    stage: { input: paths, output: done },
    unstage: { input: paths, output: done },
    discard: { input: paths.extend({ confirmed }), output: done },
    'hunk.stage': { input: hunk, output: done },
    'hunk.unstage': { input: hunk, output: done },
    'hunk.discard': { input: hunk.extend({ confirmed }), output: done },
    commit: {
      input: z.object({ message: z.string().max(100_000), amend: z.boolean().optional() }),
      output: z.object({ commit: z.string() }),
    },
    resolve: { input: z.object({ path, with: z.enum(['ours', 'theirs', 'mine']) }), output: done },
    abort: { input: z.object({ confirmed }), output: done },
    branches: { input: nothing, output: z.object({ branches: z.array(gitBranchSchema) }) },
    'branch.create': {
      input: z.object({ name, from: name.optional(), switch: z.boolean().optional() }),
      output: done,
    },
    'branch.switch': { input: z.object({ name, remote: z.boolean().optional() }), output: done },
    'branch.delete': { input: z.object({ name }), output: done },
    log: {
      input: z.object({
        skip: z.number().int().min(0).max(10_000_000),
        limit: z.number().int().min(1).max(500),
        all: z.boolean().optional(),
        path: path.optional(),
      }),
      output: z.object({ commits: z.array(gitCommitSchema), more: z.boolean() }),
    },
    'commit.files': {
      input: z.object({ commit }),
      output: z.object({ files: z.array(changedFileSchema) }),
    },
    'commit.diff': { input: z.object({ commit, path, whole }), output: fileChangeSchema },
    stashes: { input: nothing, output: z.object({ stashes: z.array(gitStashSchema) }) },
    'stash.push': {
      input: z.object({
        message: z.string().max(1_000).regex(NO_ZERO).optional(),
        untracked: z.boolean().optional(),
      }),
      output: done,
    },
    'stash.apply': { input: z.object({ commit, pop: z.boolean().optional() }), output: done },
    'stash.drop': { input: z.object({ commit, confirmed }), output: done },
    blame: { input: z.object({ path }), output: blameSchema },
    worktrees: { input: nothing, output: z.object({ worktrees: z.array(gitWorktreeSchema) }) },
    'worktree.add': {
      input: z.object({ branch: name, from: name.optional() }),
      output: z.object({ path: z.string() }),
    },
    /** All branches of one remote. */
    fetch: { input: z.object({ remote: name.optional() }), output: done },
    /** Fetches the upstream of the current branch and fast-forwards to it. */
    pull: { input: nothing, output: done },
    'push.look': { input: pushChoiceSchema, output: pushPreviewSchema },
    push: { input: pushRequestSchema, output: done },
    /** Stops a fetch, pull or push of this repository. */
    'network.stop': { input: nothing, output: done },
    'worktree.remove': { input: z.object({ path, confirmed }), output: done },
  },
  wire: { state: 'status', read: 'status' },
});
