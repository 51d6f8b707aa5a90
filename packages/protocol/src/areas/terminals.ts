/**
 * The terminal area (W1): a project's terminals and, with `terminal`, one of them. Input and output are raw bytes beside
 * the calls; every `screen` restarts the output, and all bytes after it belong to it.
 */
import { z } from 'zod';
import {
  ackSchema,
  nameSchema,
  sizeSchema,
  terminalColorsSchema,
  terminalRunsSchema,
  terminalSchema,
} from '../terminal/terminal.ts';
import { terminalPushSchema, tmuxSessionsSchema } from '../terminal/terminal-feed.ts';
import { defineArea, done, nothing } from './area.ts';

const id = z.string().min(1).max(100);
const one = z.object({ terminal: id });

export const terminals = defineArea('terminal', {
  about: z.object({ project: id, terminal: id.optional() }),
  events: terminalPushSchema,
  bytes: true,
  calls: {
    /** Lists the project's terminals; changes are pushed from then on. */
    list: { input: nothing, output: z.object({ terminals: z.array(terminalSchema) }) },
    /** The page chooses the id, so that a repeated request creates one terminal. */
    create: {
      input: z.object({
        terminal: z.uuid(),
        name: nameSchema.optional(),
        runs: terminalRunsSchema,
        size: sizeSchema,
      }),
      output: z.object({ terminal: terminalSchema.optional() }),
    },
    rename: { input: one.extend({ name: z.union([nameSchema, z.null()]) }), output: done },
    /** Sends a hangup to the program and removes the terminal. */
    close: { input: one, output: done },
    restart: { input: one, output: done },
    tmux: { input: nothing, output: tmuxSessionsSchema },
    /** For the area of one terminal. The screen follows as an event and bytes; with `history`, including the scrollback. */
    attach: {
      input: z.object({ history: z.boolean().optional(), colors: terminalColorsSchema.optional() }),
      output: z.object({ terminal: terminalSchema }),
    },
    resize: { input: z.object({ size: sizeSchema }), output: done },
    ack: { input: ackSchema.omit({ type: true }), output: done },
  },
});
