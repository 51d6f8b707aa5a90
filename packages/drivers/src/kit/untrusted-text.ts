/**
 * A foreign value as text. `String()` asks the value itself how it wants to be written, and one that an agent sent may
 * not be able to say: `{"toString": null}` throws.
 */
export function untrustedText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** A time as people write it, to the minute; nothing for a number that is no time. */
export function untrustedMinute(ms: number): string | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : `${date.toISOString().slice(0, 16)}Z`;
}
