/** The workspaces area (B1): the workspaces of a project. Their rows are in the deck. */
import { z } from 'zod';
import {
  workspaceContentsSchema,
  workspaceRowSchema,
  workspaceSizeSchema,
  workspaceSpecSchema,
} from '../workspaces/workspace.ts';
import { defineArea, done, nothing } from './area.ts';

const id = z.string().min(1).max(100);
const one = z.object({ workspace: id });

export const workspaces = defineArea('workspaces', {
  about: z.object({ project: id }),
  calls: {
    /** Replies when it has begun; the row then shows its progress. */
    create: { input: workspaceSpecSchema, output: workspaceRowSchema },
    contents: { input: one, output: workspaceContentsSchema },
    archive: { input: one, output: done },
    restore: { input: one, output: done },
    /** Deletes an archive, or the row of a workspace without files. */
    forget: { input: one.extend({ confirmed: z.boolean().optional() }), output: done },
    sizes: { input: nothing, output: z.object({ sizes: z.array(workspaceSizeSchema) }) },
  },
});
