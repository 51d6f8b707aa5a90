/**
 * JSON that preserves number literals. Parsing rounds numbers above 2^53, and a permission would show another number
 * than the agent sent (C6). Literals are kept beside the parsed data and restored when it is serialized.
 */
import { randomUUID } from 'node:crypto';

/** Per object or array, by key: literals that we would write differently. */
const literals = new WeakMap<object, Map<string, string>>();

/** Many digits, a fraction, an exponent or a negative zero; a false positive only costs a walk. */
const MAYBE = /\d{16}|\d[.eE]|-0/;
/** Deeper numbers are shown as parsed. */
const MAX_DEPTH = 500;

/** Throws like `JSON.parse`. */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (MAYBE.test(text)) new Walk(text).value(value, 0);
  return value;
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

/** The whole value as text, if it has such numbers. */
export function exactSource(value: unknown): string | undefined {
  const text = exactJson(value, 2);
  return text === JSON.stringify(value, null, 2) ? undefined : text;
}

/** Walks through a valid JSON text and its parsed data in parallel. */
class Walk {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** `value` is undefined if a later key of the same name replaced it. */
  value(value: unknown, depth: number): void {
    this.#blanks();
    const first = this.#text[this.#at];
    if (first === '{') this.#members('}', depth, value, isRecord(value) ? value : undefined);
    else if (first === '[') this.#members(']', depth, value, Array.isArray(value) ? value : undefined);
    else if (first === '"') this.#string();
    else this.#word();
  }

  #members(end: string, depth: number, value: unknown, holder: object | undefined): void {
    if (depth > MAX_DEPTH) {
      this.#at = this.#text.length;
      return;
    }
    this.#at += 1;
    for (let index = 0; ; index += 1) {
      this.#blanks();
      if (this.#at >= this.#text.length) return;
      if (this.#text[this.#at] === end) break;
      if (this.#text[this.#at] === ',') this.#at += 1;
      this.#blanks();
      let key = String(index);
      if (end === '}') {
        key = JSON.parse(this.#string()) as string;
        this.#blanks();
        this.#at += 1;
        this.#blanks();
      }
      const part = holder && Object.hasOwn(holder, key) ? (value as Record<string, unknown>)[key] : undefined;
      const from = this.#at;
      this.value(part, depth + 1);
      if (holder) note(holder, key, part, this.#text.slice(from, this.#at));
    }
    this.#at += 1;
  }

  #string(): string {
    const from = this.#at;
    do this.#at = this.#text.indexOf('"', this.#at + 1);
    while (this.#isEscaped());
    this.#at += 1;
    return this.#text.slice(from, this.#at);
  }

  #isEscaped(): boolean {
    let at = this.#at;
    while (this.#text[at - 1] === '\\') at -= 1;
    return (this.#at - at) % 2 === 1;
  }

  /** A number, `true`, `false` or `null`. */
  #word(): void {
    while (this.#at < this.#text.length && /[\w.+-]/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #blanks(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }
}

/** The last of several equal keys counts. */
function note(holder: object, key: string, part: unknown, literal: string): void {
  const known = literals.get(holder);
  if (typeof part !== 'number' || !/^-?\d/.test(literal) || literal === JSON.stringify(part)) {
    known?.delete(key);
    return;
  }
  if (known) known.set(key, literal);
  else literals.set(holder, new Map([[key, literal]]));
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
