/** Converts an untrusted value to text. `String()` would call the value's own methods: `{"toString": null}` throws. */
export function untrustedText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** A time to the minute; undefined for an invalid number. */
export function untrustedMinute(ms: number): string | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : `${date.toISOString().slice(0, 16)}Z`;
}
