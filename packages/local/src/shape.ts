/**
 * Checks the small messages and records of our processes by hand: loading a schema library takes half as long as Node
 * itself, and every first start waits for the port keeper. One table per type; a field without a check does not compile.
 */
type Check = (value: unknown) => boolean;

/** Ignores fields that are not in the table. */
export function shapeOf<T>(
  fields: {
    readonly [K in keyof Required<T>]: Check;
  },
): (value: unknown) => value is T {
  const checks = Object.entries(fields) as [string, Check][];
  return (value): value is T =>
    typeof value === 'object' &&
    value !== null &&
    checks.every(([name, check]) => check((value as Record<string, unknown>)[name]));
}

export const isText: Check = (value) => typeof value === 'string';
export const isFlag: Check = (value) => typeof value === 'boolean';
export const isAmount: Check = (value) => Number.isFinite(value) && (value as number) >= 0;

export function isWhole(min: number, max = Number.MAX_SAFE_INTEGER): Check {
  return (value) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
}

export function isOneOf(values: readonly string[]): Check {
  return (value) => values.includes(value as string);
}

export function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

/** Parses JSON; undefined if it doesn't have the shape. */
export function parseShape<T>(text: string, isShape: (value: unknown) => value is T): T | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isShape(value) ? value : undefined;
  } catch {
    return undefined; // Not JSON.
  }
}
