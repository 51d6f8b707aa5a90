/** Timings as `config.json` and our own processes write them: missing ones have their default. */
import { z } from 'zod';
import { DEFAULT_TIMINGS, type Timings } from './default-timings.ts';

export { DEFAULT_TIMINGS, RESTART_BUDGET, type Timings } from './default-timings.ts';

export const timingsSchema = z
  .object(
    Object.fromEntries(
      Object.entries(DEFAULT_TIMINGS).map(([name, value]) => [
        name,
        Array.isArray(value)
          ? z.array(z.number().nonnegative()).min(1).optional()
          : z.number().nonnegative().optional(),
      ]),
    ),
  )
  .strict();

export function withTimings(overrides: unknown): Timings {
  return { ...DEFAULT_TIMINGS, ...(timingsSchema.parse(overrides ?? {}) as Partial<Timings>) };
}
