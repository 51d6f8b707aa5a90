/**
 * From what hosts tell of their sessions' usage so far to what was used since the last word (W5). A count that went
 * down has begun anew: all of it is new then.
 */
import type { Summary } from '@tugdeck/protocol/conversation/summarize';
import type { Usage } from '../store/usage-table.ts';

/** Nothing where nothing was used. */
export function spentBetween(before: Summary | undefined, after: Summary): Usage | undefined {
  const now = after.usage;
  if (!now) return undefined;
  const then = before?.usage;
  const wasReset = then !== undefined && now.outputTokens < then.outputTokens;
  const since = (name: 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens') =>
    Math.max(0, now[name] - (wasReset ? 0 : (then?.[name] ?? 0)));
  const cost = (usage: Summary['usage']) => (usage?.costUsd ?? 0) - (usage?.inheritedUsd ?? 0);
  const spent: Usage = {
    inputTokens: since('inputTokens'),
    outputTokens: since('outputTokens'),
    cacheReadTokens: since('cacheReadTokens'),
    cacheWriteTokens: since('cacheWriteTokens'),
    costUsd: Math.max(0, cost(now) - (wasReset ? 0 : cost(then))),
  };
  return Object.values(spent).some((amount) => amount > 0) ? spent : undefined;
}

/** The user's day, not Greenwich's. */
export function dayOf(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
