/** Groups usage by a chosen key, and exports it as CSV. Pure. */
import type { UsageRow } from '@tugdeck/protocol/stats/stats-messages';

export const GROUPINGS = ['day', 'model', 'project', 'session'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface UsageSum {
  readonly name: string;
  readonly tokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly costUsd: number;
}

export function sumBy(rows: readonly UsageRow[], nameOf: (row: UsageRow) => string): UsageSum[] {
  const sums = new Map<string, UsageSum>();
  for (const row of rows) {
    const name = nameOf(row);
    const known = sums.get(name);
    const cached = row.cacheReadTokens + row.cacheWriteTokens;
    sums.set(name, {
      name,
      tokens: (known?.tokens ?? 0) + row.inputTokens + row.outputTokens + cached,
      inputTokens: (known?.inputTokens ?? 0) + row.inputTokens,
      outputTokens: (known?.outputTokens ?? 0) + row.outputTokens,
      cachedTokens: (known?.cachedTokens ?? 0) + cached,
      costUsd: (known?.costUsd ?? 0) + row.costUsd,
    });
  }
  return [...sums.values()];
}

/** All days up to `last`, including those without usage. */
export function daysUpTo(last: string, count: number): string[] {
  const [year = 0, month = 1, day = 1] = last.split('-').map(Number);
  return Array.from({ length: count }, (_, at) => {
    const date = new Date(Date.UTC(year, month - 1, day - (count - 1 - at)));
    return date.toISOString().slice(0, 10);
  });
}

const COLUMNS = [
  'day',
  'project',
  'session',
  'title',
  'agent',
  'model',
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'costUsd',
] as const satisfies readonly (keyof UsageRow)[];

export function usageCsv(rows: readonly UsageRow[]): string {
  const lines = rows.map((row) => COLUMNS.map((column) => cell(row[column])).join(','));
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
}

/** Text that a spreadsheet would run as a formula is escaped. */
function cell(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
