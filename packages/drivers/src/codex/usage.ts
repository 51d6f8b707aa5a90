/** Tokens as the agent counts them: a sum per thread since its beginning, also over restarts. Subagents count too. */
import { NO_USAGE, type Spent, type Usage } from '@tugdeck/protocol/conversation/session-facts';
import type { Emitter } from '../kit/emitter.ts';
import { numberAt, recordOf } from '../kit/fields.ts';
import { less, NOTHING_SPENT, plus } from '../kit/spent.ts';

export class UsageCount {
  readonly #out: Emitter;
  readonly #threads = new Map<string, Spent>();
  #usage: Usage;
  /** Spent when the last turn began. */
  #then: Spent | undefined;

  constructor(out: Emitter, before: Usage = NO_USAGE) {
    this.#out = out;
    this.#usage = before;
  }

  /** `isMain`: its context is the one that the gauge shows. */
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
    this.#tell({
      ...this.#usage,
      ...this.#sum(),
      ...(isMain && used !== undefined ? { contextUsed: used } : {}),
      ...(isMain && typeof modelContextWindow === 'number' ? { contextWindow: modelContextWindow } : {}),
    });
  }

  turnEnded(): void {
    const now = this.#sum();
    const lastTurn = less(now, this.#then ?? NOTHING_SPENT);
    const isKnown = this.#then !== undefined || this.#usage.inputTokens === 0;
    this.#then = now;
    if (isKnown && Object.values(lastTurn).some((value) => (value ?? 0) > 0))
      this.#tell({ ...this.#usage, lastTurn });
  }

  turnStarted(): void {
    this.#then = this.#threads.size === 0 ? spentOf(this.#usage) : this.#sum();
  }

  #sum(): Spent {
    return [...this.#threads.values()].reduce(plus, NOTHING_SPENT);
  }

  #tell(usage: Usage): void {
    if (JSON.stringify(usage) === JSON.stringify(this.#usage)) return;
    this.#usage = usage;
    this.#out.put({ kind: 'usage.updated', usage });
  }
}

function spentOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): Spent {
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
}
