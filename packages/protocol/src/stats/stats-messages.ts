/** Messages of the stats feed (W5): resource use of our processes, cost of the agents. */
import { z } from 'zod';

export const statsAboutSchema = z.object({});

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

export const statsAskSchema = z.discriminatedUnion('type', [
  /** Samples of the last minutes; new ones are pushed from then on. */
  z.object({ type: z.literal('watch') }),
  z.object({ type: z.literal('usage'), days: z.number().int().min(1).max(366) }),
  z.object({ type: z.literal('builds') }),
  z.object({ type: z.literal('build.run'), project: z.string().max(100), name: z.string().max(100) }),
  z.object({ type: z.literal('build.stop'), project: z.string().max(100), name: z.string().max(100) }),
]);

export const statsPushSchema = z.union([
  z.object({ sample: sampleSchema }),
  z.object({ build: buildSchema }),
]);

export const watchValueSchema = z.object({ samples: z.array(sampleSchema) });
export const usageValueSchema = z.object({ rows: z.array(usageRowSchema) });
export const buildsValueSchema = z.object({ builds: z.array(buildSchema) });

export type ProcessPurpose = (typeof PROCESS_PURPOSES)[number];
export type ProcessSample = z.infer<typeof processSampleSchema>;
export type Sample = z.infer<typeof sampleSchema>;
export type UsageRow = z.infer<typeof usageRowSchema>;
export type Build = z.infer<typeof buildSchema>;
export type StatsAsk = z.infer<typeof statsAskSchema>;
