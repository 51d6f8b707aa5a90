/**
 * JSON whose numbers stay as they were written. A number over 2^53 is rounded when it is parsed, and a permission would
 * show another one than the agent sent (C6). The literals are kept beside the parsed data; who writes it out gets them back.
 */
import { randomUUID } from 'node:crypto';

/** By object or list, then by key: how the number was written, where we would write it in another way. */
const literals = new WeakMap<object, Map<string, string>>();

/** Many digits, a fraction, an exponent or a negative zero; in a text it costs a walk, and nothing else. */
const MAYBE = /\d{16}|\d[.eE]|-0/;
/** Nobody nests an input like this; the numbers inside are shown as they were parsed. */
const MAX_DEPTH = 500;

/** Throws as `JSON.parse` does. */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (MAYBE.test(text)) new Walk(text).value(value, 0);
  return value;
}

export function exactJson(value: unknown, indent?: number): string {
  // Nothing that an agent sends can contain it.
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

/** One member of it, as JSON. */
export function exactMember(holder: object, key: string, indent?: number): string {
  return literals.get(holder)?.get(key) ?? exactJson((holder as Record<string, unknown>)[key], indent);
}

/** The whole as text, where it has such numbers. */
export function exactSource(value: unknown): string | undefined {
  const text = exactJson(value, 2);
  return text === JSON.stringify(value, null, 2) ? undefined : text;
}

/** Goes through a valid text and the data that was parsed from it, side by side. */
class Walk {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** `value` is nothing where a later key of the same name took its place. */
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

/** The last of several keys with one name counts. */
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
