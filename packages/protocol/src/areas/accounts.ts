/** The accounts area (A62): whether each agent is signed in, and its own commands to sign in and out. */
import { z } from 'zod';
import { sizeSchema } from '../terminal/terminal.ts';
import { defineArea, done, nothing, onMachine } from './area.ts';

const account = z.object({
  agent: z.string(),
  label: z.string(),
  /** `unknown`: the agent has no way to tell. */
  state: z.enum(['checking', 'in', 'out', 'unknown']),
  /** The agent's own commands. */
  signIn: z.string(),
  signOut: z.string().optional(),
});

const state = z.object({ accounts: z.array(account) });

export const accounts = defineArea('accounts', {
  /** `isPassive`: what was found before, without running the agents' programs; only `agent` is checked, if it never was. */
  about: z.object({
    ...onMachine,
    isPassive: z.boolean().optional(),
    agent: z.string().min(1).max(100).optional(),
  }),
  state,
  calls: {
    /** Checks all again. */
    check: { input: nothing, output: state },
    /** Opens a terminal of the project with the agent's own command. The page chooses its id. */
    open: {
      input: z.object({
        agent: z.string().min(1).max(100),
        way: z.enum(['in', 'out']),
        project: z.string().min(1).max(100),
        terminal: z.uuid(),
        size: sizeSchema,
      }),
      output: done,
    },
  },
});

export type Account = z.infer<typeof account>;
export type AccountsState = z.infer<typeof state>;
