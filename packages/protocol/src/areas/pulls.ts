/** The pulls area (B53): pull requests of a project's workspaces. Asked for only while somebody looks (B56). */
import { z } from 'zod';
import { forgeItemSchema, forgeStartSchema } from '../workspaces/forge-item.ts';
import { pullPreviewSchema, pullRefSchema, pullRequestSchema, pullStateSchema } from '../workspaces/pull.ts';
import { workspaceRowSchema } from '../workspaces/workspace.ts';
import { defineArea } from './area.ts';

const id = z.string().min(1).max(100);
const one = z.object({ workspace: id });

export const pulls = defineArea('pulls', {
  about: z.object({ project: id }),
  calls: {
    look: { input: one, output: pullPreviewSchema },
    /** Of a branch that was pushed. An open one of the same branch is used instead. */
    create: { input: one.extend(pullRequestSchema.shape), output: pullRefSchema },
    /** Looks for one of its branch, once, on request. */
    find: { input: one, output: z.object({ pull: pullRefSchema.optional() }) },
    /** A pull request or issue by its number (B91). */
    item: { input: forgeStartSchema.pick({ number: true }), output: forgeItemSchema },
    /** Begins to create its workspace. */
    start: { input: forgeStartSchema, output: workspaceRowSchema },
    state: { input: one, output: z.object({ pull: pullStateSchema.optional() }) },
    /** The end of a check's log. */
    log: { input: one.extend({ job: z.number().int().positive() }), output: z.object({ text: z.string() }) },
  },
});
