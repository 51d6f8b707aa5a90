/** Texts of the status bar (D17). Pure. */
import type { GitStatus } from '@tugdeck/protocol/git/git-messages';
import type { UsageRow } from '@tugdeck/protocol/stats/stats-messages';
import type { Deck } from '@tugdeck/protocol/wire/deck';
import { cost, count, plural } from '../../kit/format.ts';

/** Changes whenever an agent reports more usage. */
export function usageMark(deck: Pick<Deck, 'sessions'> | undefined): number {
  let total = 0;
  for (const { summary } of deck?.sessions ?? [])
    total += (summary?.usage?.inputTokens ?? 0) + (summary?.usage?.outputTokens ?? 0);
  return total;
}

/** "1.2M tokens · $3.40"; undefined if nothing was used. Agents without prices report no cost. */
export function spentText(rows: readonly UsageRow[]): string | undefined {
  let tokens = 0;
  let usd = 0;
  for (const row of rows) {
    tokens += row.inputTokens + row.outputTokens + row.cacheReadTokens + row.cacheWriteTokens;
    usd += row.costUsd;
  }
  const parts = [
    tokens > 0 ? `${count(tokens)} ${tokens === 1 ? 'token' : 'tokens'}` : '',
    usd > 0 ? cost(usd) : '',
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(' · ') : undefined;
}

export interface UpstreamText {
  /** "↑2 ↓1"; empty if there is nothing to push or pull. */
  readonly text: string;
  readonly detail: string;
}

export function upstreamText(status: GitStatus | undefined): UpstreamText | undefined {
  if (status?.kind !== 'repository' || !status.upstream) return undefined;
  const { name, ahead, behind, gone } = status.upstream;
  if (gone) return { text: '', detail: `${name} no longer exists` };
  const parts = [
    ahead > 0 ? [`↑${ahead}`, `${plural(ahead, 'commit')} to push`] : [],
    behind > 0 ? [`↓${behind}`, `${plural(behind, 'commit')} to pull`] : [],
  ].filter(({ length }) => length > 0);
  return {
    text: parts.map(([arrow]) => arrow).join(' '),
    detail: parts.length > 0 ? `${parts.map(([, words]) => words).join(', ')} (${name})` : `Same as ${name}`,
  };
}
