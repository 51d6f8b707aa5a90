/**
 * Usage of the session, cumulative (M12). Sums what each result adds, so that the total never falls when the
 * agent's own count starts again after a crash or a clear (A10).
 */
import { NO_USAGE, type Usage } from '@tugdeck/protocol/conversation/session-facts';
import type { Emitter } from '../kit/emitter.ts';
import type { ModelUsage, ResultLine, Tokens } from './wire.ts';

type ByModel = Readonly<Record<string, ModelUsage>>;

export class UsageCount {
  readonly #out: Emitter;
  #total: Usage;
  #last: ByModel = {};
  #contextUsed: number | undefined;
  #model: string | undefined;
  #inherits: boolean;

  /** `inherits`: a session of the agent's own that we know nothing of yet, maybe a copy of one. */
  constructor(out: Emitter, before: Usage = NO_USAGE, inherits = false) {
    this.#out = out;
    this.#total = before;
    this.#inherits = inherits;
  }

  /** A request of the main conversation: what it sent and got is what the context holds. */
  request(tokens: Tokens | undefined, model: string | undefined): void {
    if (!tokens || model === '<synthetic>') return;
    const sent = (tokens.input_tokens ?? 0) + (tokens.cache_read_input_tokens ?? 0);
    const used = sent + (tokens.cache_creation_input_tokens ?? 0) + (tokens.output_tokens ?? 0);
    if (used > 0) this.#contextUsed = used;
    this.#model = model ?? this.#model;
  }

  result(line: ResultLine): void {
    const now = line.modelUsage ?? {};
    const added = line.model_usage_since_last_result ?? since(this.#last, now);
    this.#last = now;
    const window =
      (this.#model === undefined ? undefined : now[this.#model])?.contextWindow ?? this.#total.contextWindow;
    const total = this.#withInherited(Object.values(added).reduce(add, this.#total), added, now);
    this.#total = {
      ...total,
      ...(this.#contextUsed === undefined ? {} : { contextUsed: this.#contextUsed }),
      ...(window === undefined ? {} : { contextWindow: window }),
    };
    this.#out.put({ kind: 'usage.updated', usage: this.#total });
  }

  /** What the running total has beyond this first turn was spent before, elsewhere. */
  #withInherited(total: Usage, added: ByModel, now: ByModel): Usage {
    if (!this.#inherits) return total;
    this.#inherits = false;
    const inherited = cost(now) - cost(added);
    if (inherited < 1e-9) return total;
    return { ...total, costUsd: (total.costUsd ?? 0) + inherited, inheritedUsd: inherited };
  }
}

function cost(byModel: ByModel): number {
  return Object.values(byModel).reduce((sum, { costUSD }) => sum + costUSD, 0);
}

function add(total: Usage, more: ModelUsage): Usage {
  return {
    ...total,
    inputTokens: total.inputTokens + more.inputTokens,
    outputTokens: total.outputTokens + more.outputTokens,
    cacheReadTokens: total.cacheReadTokens + more.cacheReadInputTokens,
    cacheWriteTokens: total.cacheWriteTokens + more.cacheCreationInputTokens,
    costUsd: (total.costUsd ?? 0) + more.costUSD,
  };
}

/** For versions that tell only the running total: it starts at nothing, or again at nothing. */
function since(last: ByModel, now: ByModel): ByModel {
  return Object.fromEntries(
    Object.entries(now).map(([model, usage]) => {
      const before = last[model];
      if (!before || before.costUSD > usage.costUSD) return [model, usage];
      return [
        model,
        {
          ...usage,
          inputTokens: usage.inputTokens - before.inputTokens,
          outputTokens: usage.outputTokens - before.outputTokens,
          cacheReadInputTokens: usage.cacheReadInputTokens - before.cacheReadInputTokens,
          cacheCreationInputTokens: usage.cacheCreationInputTokens - before.cacheCreationInputTokens,
          costUSD: usage.costUSD - before.costUSD,
        },
      ];
    }),
  );
}
