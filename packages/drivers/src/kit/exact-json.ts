/**
 * JSON that preserves number literals. Parsing rounds numbers above 2^53, and a permission would show another number
 * than the agent sent (C6). Literals are kept beside the parsed data and restored when it is serialized.
 */
import { randomUUID } from 'node:crypto';
import { hasEscapedKeyEnd, parseJson, readJson } from '@tugdeck/protocol/parse-json';

/** Per object or array, by key: literals that we would write differently. */
const literals = new WeakMap<object, Map<string, string>>();

/** Many digits, a fraction, an exponent or a negative zero; a false positive only costs time. */
const MAYBE = /\d{16}|\d[.eE]|-0/;

/** Throws like `JSON.parse`. */
export function parseExact(text: string): unknown {
  const value = parseJson(text);
  return MAYBE.test(text) ? readJson(text, note) : value;
}

export function exactJson(value: unknown, indent?: number): string {
  // Random, so that agent data cannot contain it.
  const mark = randomUUID();
  let isMarked = false;
  const text = JSON.stringify(
    value,
    function (this: object, key, part: unknown) {
      const literal = typeof part === 'number' ? literals.get(this)?.get(key) : undefined;
      if (literal === undefined) return part;
      isMarked = true;
      return `${mark}${literal}`;
    },
    indent,
  );
  return isMarked ? text.replaceAll(new RegExp(`"${mark}([^"]+)"`, 'g'), '$1') : (text ?? 'null');
}

/** One member as JSON. */
export function exactMember(holder: object, key: string, indent?: number): string {
  return literals.get(holder)?.get(key) ?? exactJson((holder as Record<string, unknown>)[key], indent);
}

/** A copy without some members; the others keep their literals. */
export function withoutMembers(
  holder: Readonly<Record<string, unknown>>,
  isLeftOut: (key: string, value: unknown) => boolean,
): Readonly<Record<string, unknown>> {
  const copy = Object.fromEntries(Object.entries(holder).filter(([key, value]) => !isLeftOut(key, value)));
  const known = literals.get(holder);
  if (known) literals.set(copy, new Map([...known].filter(([key]) => Object.hasOwn(copy, key))));
  return copy;
}

/** The whole value as text, if it has such numbers, or keys that some browsers misread (see `parseJson`). */
export function exactSource(value: unknown): string | undefined {
  const text = exactJson(value, 2);
  return text === JSON.stringify(value, null, 2) && !hasEscapedKeyEnd(text) ? undefined : text;
}

/** The last of several equal keys counts. */
function note(holder: object, key: string, part: unknown, literal: string | undefined): void {
  const known = literals.get(holder);
  if (typeof part !== 'number' || literal === undefined || literal === JSON.stringify(part)) {
    known?.delete(key);
    return;
  }
  if (known) known.set(key, literal);
  else literals.set(holder, new Map([[key, literal]]));
}
