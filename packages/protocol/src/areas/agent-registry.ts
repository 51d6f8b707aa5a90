/** The agent registry area (A23): agents from the published ACP list, offered for installation by the user. */
import { z } from 'zod';
import { defineArea, nothing, onMachine } from './area.ts';

const offered = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  website: z.string().optional(),
  /** The command to run to install it; absent if it comes from its website. */
  install: z.string().optional(),
  /** The command line that a session will run, with its variables. */
  runs: z.string(),
  /** The program that was found, if it is installed. */
  found: z.string().optional(),
  /** `outdated`: it was added with another command line than the list has now. */
  state: z.enum(['offered', 'added', 'outdated']),
});

const registry = z.object({
  /** The day of the list, YYYY-MM-DD. */
  day: z.string(),
  isBundled: z.boolean(),
  /** Where a newer list would be read from. */
  url: z.string(),
  agents: z.array(offered),
});

const id = z.string().min(1).max(50);

export const agentRegistry = defineArea('agent-registry', {
  about: z.object(onMachine),
  state: registry,
  calls: {
    /** Downloads the published list. */
    refresh: { input: nothing, output: registry },
    /** `runs` is the command line that was shown. */
    add: { input: z.object({ id, runs: z.string().max(16_384) }), output: registry },
    remove: { input: z.object({ id }), output: registry },
  },
});

export type OfferedAgent = z.infer<typeof offered>;
