/**
 * Tokens, cost and context, added to the session's earlier usage. A prompt's result has the tokens of its turn; cost
 * is a total since the agent's start.
 */
import { NO_USAGE, type Usage } from '@tugdeck/protocol/conversation/session-info';
import type { Emitter } from '../kit/emitter.ts';
import { numberAt, recordOf } from '../kit/fields.ts';
import { addUsage } from '../kit/usage-totals.ts';
import type { UpdateOf } from './wire.ts';

export class UsageCount {
  readonly #out: Emitter;
  #usage: Usage;
  #costBefore: number;
  #cost = 0;
  /** Cost at the end of the last turn. */
  #costAtTurnEnd: number;

  constructor(out: Emitter, before: Usage = NO_USAGE) {
    this.#out = out;
    this.#usage = before;
    this.#costBefore = before.costUsd ?? 0;
    this.#costAtTurnEnd = this.#costBefore;
  }

  update({ used, size, cost }: UpdateOf<'usage_update'>): void {
    const usage = { ...this.#usage };
    if (typeof used === 'number') usage.contextUsed = used;
    if (typeof size === 'number') usage.contextWindow = size;
    if (typeof cost?.amount === 'number' && (cost.currency ?? 'USD') === 'USD') {
      // A falling total was reset: earlier cost still counts (A10).
      if (cost.amount < this.#cost) this.#costBefore += this.#cost;
      this.#cost = cost.amount;
      usage.costUsd = this.#costBefore + this.#cost;
    }
    this.#emit(usage);
  }

  /** The result of a prompt. One agent reports tokens only in `_meta`. */
  answered(result: unknown): void {
    const { usage, _meta } = recordOf(result);
    const reported = recordOf(usage);
    const quota = recordOf(recordOf(recordOf(_meta).quota).token_count);
    const input = numberAt(reported, 'inputTokens') ?? numberAt(quota, 'input_tokens') ?? 0;
    const output = numberAt(reported, 'outputTokens') ?? numberAt(quota, 'output_tokens') ?? 0;
    const tokens = {
      inputTokens: input,
      outputTokens: output,
      cacheReadTokens: numberAt(reported, 'cachedReadTokens') ?? 0,
      cacheWriteTokens: numberAt(reported, 'cachedWriteTokens') ?? 0,
    };
    const { costUsd } = this.#usage;
    const cost = costUsd === undefined ? {} : { costUsd: costUsd - this.#costAtTurnEnd };
    this.#costAtTurnEnd = costUsd ?? 0;
    const lastTurn = { ...tokens, ...cost };
    // A failed turn, or an agent that reports no tokens.
    if (Object.values(lastTurn).every((value) => value === 0)) return;
    this.#emit({ ...this.#usage, ...addUsage(this.#usage, tokens), lastTurn });
  }

  #emit(usage: Usage): void {
    if (JSON.stringify(usage) === JSON.stringify(this.#usage)) return;
    this.#usage = usage;
    this.#out.put({ kind: 'usage.updated', usage });
  }
}
