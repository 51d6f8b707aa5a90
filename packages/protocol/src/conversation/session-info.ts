/**
 * Session information besides its entries (M6): agent, capabilities, usage, todos, queue. Independent of the agent;
 * names are ready to be shown.
 */
import { z } from 'zod';
import { attachmentSchema } from './entries.ts';

export const AGENT_STATES = [
  'idle',
  'starting',
  'connected',
  'disconnected',
  'reconnecting',
  'failed',
] as const;
export const TURN_STATES = ['idle', 'running', 'waiting', 'compacting', 'retrying'] as const;
export const TURN_ENDS = ['completed', 'cancelled', 'refused', 'limit', 'error'] as const;

const choice = z.object({
  id: z.string(),
  label: z.string(),
  description: z.string().optional(),
  /** Allows everything: needs a confirmation (A14). */
  dangerous: z.boolean().optional(),
});

/** An agent setting besides mode and model. Booleans have the value "true" or "false". */
const option = z.object({
  id: z.string().min(1).max(100),
  label: z.string(),
  kind: z.enum(['select', 'boolean']),
  value: z.string().optional(),
  choices: z.array(choice).optional(),
});

/** An account limit as last reported by the agent. */
const limit = z.object({
  id: z.string(),
  label: z.string(),
  state: z.enum(['open', 'warning', 'reached']),
  /** From 0 to 1. */
  used: z.number().optional(),
  resetsAt: z.number().optional(),
});

/** Categories of commands in lists: ours, the agent's, skills, plugins. */
export const COMMAND_CATEGORIES = ['local', 'agent', 'skill', 'plugin'] as const;

const mcpServer = z.object({
  name: z.string(),
  status: z.string(),
  /** Known once the server is connected and the agent was queried. */
  tools: z.array(z.object({ name: z.string(), description: z.string().optional() })).optional(),
  /** Why it is not connected. */
  error: z.string().optional(),
});

/** Maximum length of an agent's title for a session. It is untrusted text and goes to every page. */
export const MAX_AGENT_TITLE = 300;

export const sessionInfoSchema = z.object({
  /** Name of the agent in the catalog, and its display name. */
  agent: z.string().optional(),
  agentLabel: z.string().optional(),
  agentVersion: z.string().optional(),
  agentSession: z.string().optional(),
  agentTitle: z.string().optional(),
  directory: z.string().optional(),
  model: z.string().optional(),
  mode: z.string().optional(),
  models: z.array(choice).optional(),
  modes: z.array(choice).optional(),
  options: z.array(option).optional(),
  /** Names for `agent.control`. */
  controls: z.array(z.string()).optional(),
  /** The agent accepts prompts into a running turn (A25). */
  canSteer: z.boolean().optional(),
  /** The session can be forked, as it is now or at any message (A6). */
  canFork: z.enum(['now', 'anywhere']).optional(),
  /** The agent's suggestion for the next prompt; empty if there is none. */
  suggestion: z.string().optional(),
  limits: z.array(limit).optional(),
  commands: z
    .array(
      z.object({
        name: z.string(),
        description: z.string().optional(),
        argumentHint: z.string().optional(),
        category: z.enum(COMMAND_CATEGORIES).optional(),
        /**
         * What it opens when typed without arguments: a part of the page, `control:` plus a control, or `terminal`
         * (A15).
         */
        surface: z.string().optional(),
      }),
    )
    .optional(),
  tools: z.array(z.string()).optional(),
  skills: z.array(z.string()).optional(),
  subagents: z.array(z.string()).optional(),
  mcpServers: z.array(mcpServer).optional(),
  plugins: z.array(z.object({ name: z.string(), source: z.string().optional() })).optional(),
  /** Limits of each model, by name. */
  modelLimits: z
    .record(
      z.string(),
      z.object({ contextWindow: z.number().optional(), maxOutputTokens: z.number().optional() }),
    )
    .optional(),
  account: z.string().optional(),
});

export const agentStatusSchema = z.object({
  state: z.enum(AGENT_STATES),
  /** Why it is not connected, for the user. */
  reason: z.string().optional(),
  retryAt: z.number().optional(),
  /** It never started (A24), as opposed to having stopped. */
  unstarted: z.boolean().optional(),
});

const usageTotalsSchema = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
  costUsd: z.number().optional(),
});

export const usageSchema = usageTotalsSchema.extend({
  contextUsed: z.number().optional(),
  contextWindow: z.number().optional(),
  /** What fills the context, by the agent's own categories; known after the agent was queried. */
  contextKinds: z.array(z.object({ label: z.string(), tokens: z.number() })).optional(),
  /** Part of `costUsd` that was spent before the fork (A10). */
  inheritedUsd: z.number().optional(),
  /** The last turn's share. */
  lastTurn: usageTotalsSchema.optional(),
  /** Share of each model, if the agent reports it. */
  byModel: z.record(z.string(), usageTotalsSchema).optional(),
  /** Duration of all turns, and the model's share of it. */
  wallMs: z.number().optional(),
  apiMs: z.number().optional(),
});

export const todoSchema = z.object({
  id: z.string(),
  text: z.string(),
  description: z.string().optional(),
  state: z.enum(['pending', 'active', 'done']),
  activeForm: z.string().optional(),
  owner: z.string().optional(),
  blockedBy: z.array(z.string()).optional(),
});

export const queuedPromptSchema = z.object({
  id: z.string(),
  text: z.string(),
  attachments: z.array(attachmentSchema).optional(),
  steer: z.boolean().optional(),
  at: z.number(),
});

/** A tool use that was denied in a turn, from the agent's report at its end. */
export const denialSchema = z.object({ entry: z.string(), title: z.string() });

export const turnSchema = z.object({
  id: z.string(),
  origin: z.enum(['user', 'agent']),
  prompts: z.array(z.string()),
  startedAt: z.number(),
  firstSeq: z.number().int(),
  endedAt: z.number().optional(),
  endedBy: z.enum(TURN_ENDS).optional(),
  why: z.string().optional(),
  denied: z.array(denialSchema).optional(),
  costUsd: z.number().optional(),
});

export type Choice = z.infer<typeof choice>;
export type AgentOption = z.infer<typeof option>;
export type Limit = z.infer<typeof limit>;
export type McpServer = z.infer<typeof mcpServer>;
export type CommandCategory = (typeof COMMAND_CATEGORIES)[number];
export type Denial = z.infer<typeof denialSchema>;
export type SessionInfo = z.infer<typeof sessionInfoSchema>;
export type AgentStatus = z.infer<typeof agentStatusSchema>;
export type AgentState = (typeof AGENT_STATES)[number];
export type UsageTotals = z.infer<typeof usageTotalsSchema>;
export type Usage = z.infer<typeof usageSchema>;
export type Todo = z.infer<typeof todoSchema>;
export type QueuedPrompt = z.infer<typeof queuedPromptSchema>;
export type Turn = z.infer<typeof turnSchema>;
export type TurnState = (typeof TURN_STATES)[number];
export type TurnEnd = (typeof TURN_ENDS)[number];

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
