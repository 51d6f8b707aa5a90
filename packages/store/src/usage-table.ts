/** Token usage by day, session and model (W5). Sums of what hosts reported; never corrected later. */
import type { Database } from './database.ts';

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly costUsd: number;
}

export interface UsageDay extends Usage {
  readonly day: string;
  readonly session: string;
  readonly model: string;
}

export interface UsageTable {
  add(day: string, session: string, model: string, usage: Usage): void;
  since(day: string): UsageDay[];
}

export function usageTable(database: Database): UsageTable {
  const add = database.prepare(
    `INSERT INTO usage_days (day, session, model, input, output, cache_read, cache_write, cost)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (day, session, model) DO UPDATE SET
     input = input + excluded.input, output = output + excluded.output,
     cache_read = cache_read + excluded.cache_read, cache_write = cache_write + excluded.cache_write,
     cost = cost + excluded.cost`,
  );
  const since = database.prepare(
    `SELECT day, session, model, input AS inputTokens, output AS outputTokens, cache_read AS cacheReadTokens,
     cache_write AS cacheWriteTokens, cost AS costUsd FROM usage_days WHERE day >= ? ORDER BY day, session, model`,
  );
  return {
    add: (day, session, model, spent) =>
      void add.run(
        day,
        session,
        model,
        spent.inputTokens,
        spent.outputTokens,
        spent.cacheReadTokens,
        spent.cacheWriteTokens,
        spent.costUsd,
      ),
    since: (day) => since.all(day) as UsageDay[],
  };
}
