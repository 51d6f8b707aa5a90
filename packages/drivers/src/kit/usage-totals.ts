/** Sums of tokens and cost. */
import type { UsageTotals } from '@tugdeck/protocol/conversation/session-info';

export const ZERO_USAGE: UsageTotals = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};

export const addUsage = (one: UsageTotals, other: UsageTotals): UsageTotals => combined(one, other, 1);
export const subtractUsage = (one: UsageTotals, other: UsageTotals): UsageTotals => combined(one, other, -1);

/** Cost stays unknown if neither side has it. */
function combined(one: UsageTotals, other: UsageTotals, sign: 1 | -1): UsageTotals {
  const isPriced = one.costUsd !== undefined || other.costUsd !== undefined;
  return {
    inputTokens: one.inputTokens + sign * other.inputTokens,
    outputTokens: one.outputTokens + sign * other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + sign * other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + sign * other.cacheWriteTokens,
    ...(isPriced ? { costUsd: (one.costUsd ?? 0) + sign * (other.costUsd ?? 0) } : {}),
  };
}
