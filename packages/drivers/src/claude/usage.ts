/**
 * Cumulative usage of the session (M12). Adds up each result, so that the total never falls when the agent's own
 * count restarts after a crash or a clear (A10).
 */
import { NO_USAGE, type Usage, type UsageTotals } from '@tugdeck/protocol/conversation/session-info';
import type { Emitter } from '../kit/emitter.ts';
import { listOf, numberAt, recordOf, textAt } from '../kit/fields.ts';
import { addUsage, subtractUsage, ZERO_USAGE } from '../kit/usage-totals.ts';
import type { ModelUsage, ResultLine, Tokens } from './wire.ts';

type ByModel = Readonly<Record<string, UsageTotals>>;

/** Limit for names of models and context categories, which come from the agent. */
const MAX_NAMES = 20;

export class UsageCount {
  readonly #out: Emitter;
  #total: Usage;
  #last: ByModel = {};
  #lastApiMs = 0;
  #contextUsed: number | undefined;
  #model: string | undefined;
  #inherits: boolean;

  /** `inherits`: an agent session that we do not know yet, maybe a fork. */
  constructor(out: Emitter, before: Usage = NO_USAGE, inherits = false) {
    this.#out = out;
    this.#total = before;
    this.#inherits = inherits;
  }

  /** A request of the main conversation: its tokens are the context. */
  request(tokens: Tokens | undefined, model: string | undefined): void {
    if (!tokens || model === '<synthetic>') return;
    const sent = (tokens.input_tokens ?? 0) + (tokens.cache_read_input_tokens ?? 0);
    const used = sent + (tokens.cache_creation_input_tokens ?? 0) + (tokens.output_tokens ?? 0);
    if (used > 0) this.#contextUsed = used;
    this.#model = model ?? this.#model;
  }

  result(line: ResultLine): void {
    const now = spentBy(line.modelUsage);
    const reported = line.model_usage_since_last_result;
    const added = reported ? spentBy(reported) : since(this.#last, now);
    this.#last = now;
    const lastTurn = Object.values(added).reduce(addUsage, ZERO_USAGE);
    const window = this.#model === undefined ? undefined : line.modelUsage?.[this.#model]?.contextWindow;
    this.#emit({
      ...this.#withInherited({ ...this.#total, ...addUsage(this.#total, lastTurn) }, lastTurn, now),
      ...(this.#contextUsed === undefined ? {} : { contextUsed: this.#contextUsed }),
      ...(window === undefined ? {} : { contextWindow: window }),
      ...this.#times(line),
      lastTurn,
      byModel: addByModel(this.#total.byModel ?? {}, added),
    });
  }

  /** The response about context usage. */
  context(response: unknown): void {
    const contextKinds = listOf(recordOf(response).categories)
      .filter((part) => textAt(part, 'kind') === 'used' && (numberAt(part, 'tokens') ?? 0) > 0)
      .slice(0, MAX_NAMES)
      .map((part) => ({ label: textAt(part, 'name') ?? 'Other', tokens: numberAt(part, 'tokens') ?? 0 }));
    const [used, window] = [numberAt(response, 'totalTokens'), numberAt(response, 'rawMaxTokens')];
    this.#emit({
      ...this.#total,
      contextKinds,
      ...(used === undefined ? {} : { contextUsed: used }),
      ...(window === undefined ? {} : { contextWindow: window }),
    });
  }

  /** A turn reports its own wall time, but the API time since the agent's start. */
  #times({ duration_ms: wall = 0, duration_api_ms: api = 0 }: ResultLine): Partial<Usage> {
    const more = api < this.#lastApiMs ? api : api - this.#lastApiMs;
    this.#lastApiMs = api;
    return { wallMs: (this.#total.wallMs ?? 0) + wall, apiMs: (this.#total.apiMs ?? 0) + more };
  }

  /** The part of the running total beyond this first turn was spent elsewhere. */
  #withInherited(total: Usage, lastTurn: UsageTotals, now: ByModel): Usage {
    if (!this.#inherits) return total;
    this.#inherits = false;
    const inherited =
      (Object.values(now).reduce(addUsage, ZERO_USAGE).costUsd ?? 0) - (lastTurn.costUsd ?? 0);
    if (inherited < 1e-9) return total;
    return { ...total, costUsd: (total.costUsd ?? 0) + inherited, inheritedUsd: inherited };
  }

  #emit(usage: Usage): void {
    this.#total = usage;
    this.#out.put({ kind: 'usage.updated', usage });
  }
}

function spentBy(models: Readonly<Record<string, ModelUsage>> = {}): ByModel {
  return Object.fromEntries(
    Object.entries(models)
      .slice(0, MAX_NAMES)
      .map(([model, used]) => [
        model,
        {
          inputTokens: used.inputTokens,
          outputTokens: used.outputTokens,
          cacheReadTokens: used.cacheReadInputTokens,
          cacheWriteTokens: used.cacheCreationInputTokens,
          costUsd: used.costUSD,
        },
      ]),
  );
}

function addByModel(before: ByModel, added: ByModel): Record<string, UsageTotals> {
  const all = new Map(Object.entries(before));
  for (const [model, spent] of Object.entries(added)) {
    const known = all.get(model);
    if (known || all.size < MAX_NAMES) all.set(model, addUsage(known ?? ZERO_USAGE, spent));
  }
  return Object.fromEntries(all);
}

/** For versions that only report a running total, which may restart at zero. */
function since(last: ByModel, now: ByModel): ByModel {
  return Object.fromEntries(
    Object.entries(now).map(([model, spent]) => {
      const before = last[model];
      const isAnew = !before || (before.costUsd ?? 0) > (spent.costUsd ?? 0);
      return [model, isAnew ? spent : subtractUsage(spent, before)];
    }),
  );
}
