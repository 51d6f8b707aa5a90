/**
 * The configuration that a project has for agents (X6): hooks, servers, rules and the like, each as text that a person can
 * decide on. Read by the server from the project's files, drawn by the page before the user trusts it.
 */
import { z } from 'zod';

/** Items that run a program or change what runs come first. */
export const CONFIG_KINDS = [
  'hook',
  'server',
  'plugin',
  'variable',
  'setting',
  'rule',
  'command',
  'subagent',
  'skill',
  'instructions',
] as const;

export const configItemSchema = z.object({
  kind: z.enum(CONFIG_KINDS),
  /** The file it is in: below the top of the checkout, or absolute where it is above that. */
  path: z.string(),
  /** What it runs or sets, whole. */
  text: z.string(),
  /** Against what the user said yes to last. */
  change: z.enum(['added', 'changed', 'removed']).optional(),
  /** Its text then, where it reads differently. */
  before: z.string().optional(),
});

/**
 * `trusted`: the user said yes to exactly this. `changed`: they said yes to something else. `refused`: they said no.
 * `unasked`: nobody was asked.
 */
export const TRUST_STATES = ['trusted', 'changed', 'refused', 'unasked'] as const;

export const projectConfigSchema = z.object({
  state: z.enum(TRUST_STATES),
  /** Ordered by kind. Never cut. */
  brought: z.array(configItemSchema),
  /** For pages of an earlier version. */
  cut: z.literal(false),
  /** Without a yes the agent starts without these; otherwise it does not start at all. */
  canLeaveOut: z.boolean(),
  /** The agent reads no project configuration, so that there is nothing to ask. */
  readsNone: z.boolean(),
  /** The folder that the yes is for: the top of the repository, or the project. */
  repository: z.string(),
  /** Names what was shown: a yes carries it, so that nothing else is trusted. */
  hash: z.string(),
});

export type ConfigItem = z.infer<typeof configItemSchema>;
export type ConfigKind = ConfigItem['kind'];
export type TrustState = (typeof TRUST_STATES)[number];
export type ProjectConfig = z.infer<typeof projectConfigSchema>;

/** Text for a model cannot run anything by itself: it is listed, but a change in it does not ask again. */
export function isInstructions({ kind }: Pick<ConfigItem, 'kind'>): boolean {
  return kind === 'instructions';
}
