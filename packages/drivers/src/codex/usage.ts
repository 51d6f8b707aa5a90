/** Token usage: a total per thread since its start, across restarts, including subagents. */
import { NO_USAGE, type Usage, type UsageTotals } from '@tugdeck/protocol/conversation/session-info';
import type { Emitter } from '../kit/emitter.ts';
import { numberAt, recordOf } from '../kit/fields.ts';
import { addUsage, subtractUsage, ZERO_USAGE } from '../kit/usage-totals.ts';

export class UsageCount {
  readonly #out: Emitter;
  readonly #threads = new Map<string, UsageTotals>();
  #usage: Usage;
  /** Usage at the start of the last turn. */
  #atTurnStart: UsageTotals | undefined;

  constructor(out: Emitter, before: Usage = NO_USAGE) {
    this.#out = out;
    this.#usage = before;
  }

  /** `isMain`: its context is shown in the gauge. */
  update(thread: string, tokenUsage: unknown, isMain: boolean): void {
    const { total, last, modelContextWindow } = recordOf(tokenUsage);
    const cached = numberAt(total, 'cachedInputTokens') ?? 0;
    this.#threads.set(thread, {
      inputTokens: Math.max(0, (numberAt(total, 'inputTokens') ?? 0) - cached),
      outputTokens: numberAt(total, 'outputTokens') ?? 0,
      cacheReadTokens: cached,
      cacheWriteTokens: numberAt(total, 'cacheWriteInputTokens') ?? 0,
    });
    const used = numberAt(last, 'totalTokens');
    this.#emit({
      ...this.#usage,
      ...this.#sum(),
      ...(isMain && used !== undefined ? { contextUsed: used } : {}),
      ...(isMain && typeof modelContextWindow === 'number' ? { contextWindow: modelContextWindow } : {}),
    });
  }

  turnEnded(): void {
    const now = this.#sum();
    const lastTurn = subtractUsage(now, this.#atTurnStart ?? ZERO_USAGE);
    const isKnown = this.#atTurnStart !== undefined || this.#usage.inputTokens === 0;
    this.#atTurnStart = now;
    if (isKnown && Object.values(lastTurn).some((value) => (value ?? 0) > 0))
      this.#emit({ ...this.#usage, lastTurn });
  }

  turnStarted(): void {
    this.#atTurnStart = this.#threads.size === 0 ? totalsOf(this.#usage) : this.#sum();
  }

  #sum(): UsageTotals {
    return [...this.#threads.values()].reduce(addUsage, ZERO_USAGE);
  }

  #emit(usage: Usage): void {
    if (JSON.stringify(usage) === JSON.stringify(this.#usage)) return;
    this.#usage = usage;
    this.#out.put({ kind: 'usage.updated', usage });
  }
}

function totalsOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): UsageTotals {
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
}
