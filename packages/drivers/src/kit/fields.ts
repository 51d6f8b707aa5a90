/** Accessors for untrusted data: missing or mistyped fields are undefined or empty. */

export type Fields = Readonly<Record<string, unknown>>;

export function recordOf(value: unknown): Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textAt(value: unknown, key: string): string | undefined {
  const field = recordOf(value)[key];
  return typeof field === 'string' ? field : undefined;
}

export function numberAt(value: unknown, key: string): number | undefined {
  const field = recordOf(value)[key];
  return typeof field === 'number' ? field : undefined;
}
