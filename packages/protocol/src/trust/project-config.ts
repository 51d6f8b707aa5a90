/**
 * The configuration that a project has for agents (X6): hooks, servers, rules and so on, each as text that the user
 * can review. Read by the server, shown by the page before the user trusts it.
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
  /** Its file, relative to the top of the checkout, or absolute if above it. */
  path: z.string(),
  /** The complete command or setting. */
  text: z.string(),
  /** Compared with the last trusted version. */
  change: z.enum(['added', 'changed', 'removed']).optional(),
  /** The last trusted text, if it differs. */
  before: z.string().optional(),
});

/**
 * `trusted`: the user trusted exactly this. `changed`: the user trusted another version. `refused`: the user refused.
 * `unasked`: no decision yet.
 */
export const TRUST_STATES = ['trusted', 'changed', 'refused', 'unasked'] as const;

export const projectConfigSchema = z.object({
  state: z.enum(TRUST_STATES),
  /** Ordered by kind. Never truncated. */
  brought: z.array(configItemSchema),
  /** For pages of an earlier version. */
  cut: z.literal(false),
  /** The agent can start without this configuration; otherwise it cannot start untrusted. */
  canLeaveOut: z.boolean(),
  /** The agent reads no project configuration, so nothing needs trust. */
  readsNone: z.boolean(),
  /** The folder that the decision is for: the top of the repository, or the project. */
  repository: z.string(),
  /** Identifies what was shown, so that nothing else is trusted. */
  hash: z.string(),
});

export type ConfigItem = z.infer<typeof configItemSchema>;
export type ConfigKind = ConfigItem['kind'];
export type TrustState = (typeof TRUST_STATES)[number];
export type ProjectConfig = z.infer<typeof projectConfigSchema>;

/** Instructions cannot run anything by themselves: they are listed, but their changes need no new decision. */
export function isInstructions({ kind }: Pick<ConfigItem, 'kind'>): boolean {
  return kind === 'instructions';
}
