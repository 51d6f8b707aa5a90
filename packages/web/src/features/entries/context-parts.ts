/** Parses the reply of the context control; undefined if it has another form. Pure. */
export interface ContextPart {
  readonly name: string;
  readonly tokens: number;
  readonly isFree: boolean;
}

export interface ContextParts {
  readonly used: number;
  readonly max: number;
  readonly parts: readonly ContextPart[];
}

const MAX_PARTS = 20;

export function contextParts(data: unknown): ContextParts | undefined {
  const { totalTokens, maxTokens, categories } = (data ?? {}) as Readonly<Record<string, unknown>>;
  if (!isCount(totalTokens) || !isCount(maxTokens) || maxTokens === 0 || !Array.isArray(categories))
    return undefined;
  const parts = categories.slice(0, MAX_PARTS).flatMap((part: unknown): ContextPart[] => {
    const { name, tokens } = (part ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof name !== 'string' || !isCount(tokens) || tokens === 0) return [];
    return [{ name, tokens, isFree: /^free\b/i.test(name) }];
  });
  return parts.length === 0 ? undefined : { used: totalTokens, max: maxTokens, parts };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
