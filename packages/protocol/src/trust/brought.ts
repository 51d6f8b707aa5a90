/**
 * What a project brings for an agent (X6): its hooks, servers, rules and the like, as words to show. Read by the
 * server from the project's files, drawn by the page before the user trusts it.
 */
import { z } from 'zod';

export const BROUGHT_KINDS = [
  'hook',
  'server',
  'plugin',
  'rule',
  'variable',
  'setting',
  'command',
  'subagent',
  'skill',
  'instructions',
] as const;

export const broughtSchema = z.object({
  kind: z.enum(BROUGHT_KINDS),
  /** The file or folder it is in, below the project. */
  path: z.string(),
  text: z.string(),
});

export const broughtAnswerSchema = z.object({
  brought: z.array(broughtSchema),
  /** There is more than is listed. */
  cut: z.boolean(),
  /** Without trust the agent starts without these; else it does not start at all. */
  canLeaveOut: z.boolean(),
});

export type Brought = z.infer<typeof broughtSchema>;
export type BroughtKind = Brought['kind'];
export type BroughtAnswer = z.infer<typeof broughtAnswerSchema>;
