/** The workspaces area (B1): the workspaces of a project. Their rows are in the deck. */
import { z } from 'zod';
import { handoffChoiceSchema, handoffPreviewSchema, handoffRequestSchema } from '../workspaces/handoff.ts';
import { landChoiceSchema, landPreviewSchema, landRequestSchema } from '../workspaces/landing.ts';
import { setupChoiceSchema, setupImportSchema } from '../workspaces/setup-import.ts';
import {
  foundWorktreeSchema,
  workspaceContentsSchema,
  workspacePlanSchema,
  workspaceRowSchema,
  workspaceSizeSchema,
  workspaceSpecSchema,
  workspaceStatusSchema,
} from '../workspaces/workspace.ts';
import { defineArea, done, nothing } from './area.ts';

const id = z.string().min(1).max(100);
const one = z.object({ workspace: id });
const runName = z.string().min(1).max(40);

export const workspaces = defineArea('workspaces', {
  about: z.object({ project: id }),
  calls: {
    /** Replies when it has begun; the row then shows its progress. */
    create: { input: workspaceSpecSchema, output: workspaceRowSchema },
    plan: { input: workspaceSpecSchema.pick({ base: true }), output: workspacePlanSchema },
    /** Worktrees of the repository that are not workspaces. */
    found: { input: nothing, output: z.object({ worktrees: z.array(foundWorktreeSchema).max(500) }) },
    /** Makes one of them a workspace, where it is. */
    adopt: { input: z.object({ path: z.string().min(1).max(4096) }), output: workspaceRowSchema },
    /** Setup files of other tools that are not yet imported (B18). */
    imports: { input: nothing, output: z.object({ imports: z.array(setupImportSchema).max(20) }) },
    'imports.choose': { input: setupChoiceSchema, output: done },
    status: { input: one, output: workspaceStatusSchema },
    /** Creates the branch again, at the last known commit, after it was deleted by hand. */
    'branch.recreate': { input: one, output: done },
    setup: { input: one.extend({ act: z.enum(['skip', 'run']) }), output: done },
    contents: { input: one, output: workspaceContentsSchema },
    archive: { input: one, output: done },
    restore: { input: one, output: done },
    /** Deletes an archive, or the row of a workspace without files. */
    forget: { input: one.extend({ confirmed: z.boolean().optional() }), output: done },
    'land.look': { input: one.extend(landChoiceSchema.shape), output: landPreviewSchema },
    /** Only commits and brings the base in, so that conflicts can be solved in the workspace. */
    'land.bring': {
      input: one.extend(landRequestSchema.shape),
      output: z.object({ conflicts: z.array(z.string()) }),
    },
    /** Replies when it has begun; the row then shows its progress. */
    land: { input: one.extend(landRequestSchema.shape), output: done },
    'handoff.look': { input: handoffChoiceSchema, output: handoffPreviewSchema },
    /** Replies when the session works in the other place. */
    handoff: { input: handoffRequestSchema, output: done },
    /** Starts a run command; refused with NOT_CONFIRMED if one of another workspace would stop. */
    run: { input: one.extend({ name: runName, confirmed: z.boolean().optional() }), output: done },
    'run.stop': { input: one.extend({ name: runName }), output: done },
    /** Takes ten other ports. */
    ports: { input: one, output: done },
    /** Deletes ignored folders that programs create again. */
    free: { input: one, output: z.object({ bytes: z.number() }) },
    sizes: { input: nothing, output: z.object({ sizes: z.array(workspaceSizeSchema) }) },
  },
});
