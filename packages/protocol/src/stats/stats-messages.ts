/** Data of the stats area (W5, areas/stats): resource use of our processes, cost of the agents. */
import { z } from 'zod';

export const PROCESS_PURPOSES = ['server', 'reader', 'host', 'agent', 'terminals', 'other'] as const;
export const processSampleSchema = z.object({
  pid: z.number().int(),
  /** The nearest ancestor in this list. */
  parent: z.number().int().optional(),
  purpose: z.enum(PROCESS_PURPOSES),
  session: z.string().optional(),
  name: z.string(),
  /** Share of one core since the previous sample. */
  cpu: z.number(),
  rss: z.number(),
});

export const sampleSchema = z.object({
  at: z.number(),
  /** The server's event loop delay since the previous sample, 99th percentile. */
  loopMs: z.number(),
  processes: z.array(processSampleSchema),
});

/** Usage of one session on one day with one model. */
export const usageRowSchema = z.object({
  day: z.string(),
  session: z.string(),
  project: z.string(),
  title: z.string(),
  agent: z.string(),
  model: z.string(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
  costUsd: z.number(),
});

export const BUILD_STATES = ['never', 'running', 'passed', 'failed', 'stopped'] as const;
export const buildSchema = z.object({
  project: z.string(),
  name: z.string(),
  command: z.string(),
  state: z.enum(BUILD_STATES),
  startedAt: z.number().optional(),
  tookMs: z.number().optional(),
  exitCode: z.number().optional(),
  /** Its last output lines. */
  tail: z.string(),
});

export type ProcessPurpose = (typeof PROCESS_PURPOSES)[number];
export type ProcessSample = z.infer<typeof processSampleSchema>;
export type Sample = z.infer<typeof sampleSchema>;
export type UsageRow = z.infer<typeof usageRowSchema>;
export type Build = z.infer<typeof buildSchema>;
