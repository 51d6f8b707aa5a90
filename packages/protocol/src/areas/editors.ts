/** The editors area (W8): editors and the file manager on the machine, which open a project's files outside of the page. */
import { z } from 'zod';
import { defineArea, done } from './area.ts';

const id = z.string().min(1).max(100);
/** Relative to the project or workspace; empty is its folder. */
const path = z.string().max(4_096);

export const editors = defineArea('editors', {
  about: z.object({ project: id }),
  state: z.object({
    editors: z.array(z.object({ id, label: z.string() })),
    /** Whether a file manager can be opened. */
    canReveal: z.boolean(),
    /** The user's `$EDITOR`, which needs a terminal. */
    terminalEditor: z.string().optional(),
  }),
  calls: {
    open: {
      input: z.object({ editor: id, path, line: z.number().int().min(1).max(10_000_000).optional() }),
      output: done,
    },
    reveal: { input: z.object({ path }), output: done },
  },
});
