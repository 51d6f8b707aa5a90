/** Sums of tokens and money: what any agent's count is made of. */
import type { Spent } from '@tugdeck/protocol/conversation/session-facts';

export const NOTHING_SPENT: Spent = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};

export const plus = (one: Spent, other: Spent): Spent => combined(one, other, 1);
export const less = (one: Spent, other: Spent): Spent => combined(one, other, -1);

/** Money stays unknown where neither knows it. */
function combined(one: Spent, other: Spent, sign: 1 | -1): Spent {
  const isPriced = one.costUsd !== undefined || other.costUsd !== undefined;
  return {
    inputTokens: one.inputTokens + sign * other.inputTokens,
    outputTokens: one.outputTokens + sign * other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + sign * other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + sign * other.cacheWriteTokens,
    ...(isPriced ? { costUsd: (one.costUsd ?? 0) + sign * (other.costUsd ?? 0) } : {}),
  };
}
