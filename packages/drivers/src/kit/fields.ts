/** Accessors for untrusted data: missing or mistyped fields are undefined or empty. */

export type Fields = Readonly<Record<string, unknown>>;

export function recordOf(value: unknown): Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return Number.isFinite(value) ? (value as number) : undefined;
}

export function textAt(value: unknown, key: string): string | undefined {
  return textOf(recordOf(value)[key]);
}

export function numberAt(value: unknown, key: string): number | undefined {
  return numberOf(recordOf(value)[key]);
}
