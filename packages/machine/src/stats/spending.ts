/**
 * Computes usage since the previous summary from running totals (W5). A total that decreased was reset, so all of it
 * is new.
 */
import type { Summary } from '@tugdeck/protocol/conversation/summarize';
import type { Usage } from '@tugdeck/store/usage-table';

/** Undefined if nothing was used. */
export function usageBetween(before: Summary | undefined, after: Summary): Usage | undefined {
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

/** In the user's time zone. */
export function dayOf(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
