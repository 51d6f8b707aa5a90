import type { Timings } from '@tugdeck/local/timings';

/**
 * How long the product waits here for what it waits for too briefly on a machine with much else to do: for an agent or a
 * host to start, for a cancelled turn to end, and what it takes for one run of deaths. Slow is not wrong.
 */
export const PATIENT = {
  startTimeoutMs: 100_000,
  hostStartMs: 60_000,
  cancelMs: 30_000,
  restartWindowMs: 600_000,
} satisfies Partial<Timings>;
