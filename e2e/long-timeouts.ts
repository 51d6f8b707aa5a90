import type { Timings } from '@tugdeck/local/timings';

/**
 * Longer limits for a busy machine: the start of an agent or host, the end of a canceled turn, and the window in which
 * deaths of an agent are counted. A slow test isn't a failed one.
 */
export const LONG_TIMEOUTS = {
  startTimeoutMs: 100_000,
  hostStartMs: 60_000,
  cancelMs: 30_000,
  restartWindowMs: 600_000,
} satisfies Partial<Timings>;
