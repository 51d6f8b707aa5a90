/**
 * `JSON.parse` without its bug in V8 13.6 to 14.6 (Node 24 and 26, Chrome 136 to 146): once an object with the key `k\`
 * exists, a key such as `k\n` or `k\u0041` of an object of the same shape is read as `k\`. A project could hide its
 * `"hook\u0073"` that way. Texts that have a key like that are read here, all others by `JSON.parse`
 * (docs/decisions/0244).
 */

/** A key that ends with an escape sequence: from the start of a run of backslashes, so that it is linear and exact. */
const ESCAPED_KEY_END = /(?<!\\)(?:\\\\)*\\(?:u[\da-fA-F]{4}|[^u])"[ \t\r\n]*:/;

/** Called for each member of an object or array; `literal` is the source text of a number, `true`, `false` or `null`. */
export type MemberListener = (
  holder: object,
  key: string,
  value: unknown,
  literal: string | undefined,
) => void;

/** Throws like `JSON.parse`. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return hasEscapedKeyEnd(text) ? readJson(text) : value;
}

export function hasEscapedKeyEnd(text: string): boolean {
  return ESCAPED_KEY_END.test(text);
}

/** Reads a text that `JSON.parse` accepts. */
export function readJson(text: string, onMember?: MemberListener): unknown {
  return new Reader(text, onMember).read();
}

interface Open {
  readonly holder: Record<string, unknown> | unknown[];
  key: string;
}

/** With its own stack, because `JSON.parse` accepts any depth. */
class Reader {
  readonly #text: string;
  readonly #onMember: MemberListener | undefined;
  readonly #open: Open[] = [];
  #at = 0;
  #result: unknown;

  constructor(text: string, onMember: MemberListener | undefined) {
    this.#text = text;
    this.#onMember = onMember;
  }

  read(): unknown {
    let isKey = false;
    for (;;) {
      const char = this.#text[this.#at];
      const top = this.#open.at(-1);
      switch (char) {
        case undefined:
          return this.#result;
        case ' ':
        case '\t':
        case '\n':
        case '\r':
          this.#at += 1;
          break;
        case '{':
        case '[': {
          const holder = char === '{' ? {} : [];
          this.#add(holder);
          this.#open.push({ holder, key: '' });
          isKey = char === '{';
          this.#at += 1;
          break;
        }
        case '}':
        case ']':
          this.#open.pop();
          this.#at += 1;
          break;
        case ',':
          isKey = !Array.isArray(top?.holder);
          this.#at += 1;
          break;
        case ':':
          isKey = false;
          this.#at += 1;
          break;
        case '"': {
          const string = this.#string();
          if (isKey && top) top.key = string;
          else this.#add(string);
          break;
        }
        default: {
          const literal = this.#literal();
          this.#add(JSON.parse(literal), literal);
        }
      }
    }
  }

  #add(value: unknown, literal?: string): void {
    const top = this.#open.at(-1);
    if (!top) {
      this.#result = value;
      return;
    }
    const { holder } = top;
    if (Array.isArray(holder)) top.key = String(holder.push(value) - 1);
    // Assigning `__proto__` would change the prototype instead of adding a member.
    else if (top.key !== '__proto__') holder[top.key] = value;
    else
      Object.defineProperty(holder, top.key, { value, enumerable: true, configurable: true, writable: true });
    this.#onMember?.(holder, top.key, value, literal);
  }

  #string(): string {
    const from = this.#at;
    do this.#at = this.#text.indexOf('"', this.#at + 1);
    while (this.#isEscaped());
    this.#at += 1;
    // Not a slice, which would keep the whole text in memory.
    return JSON.parse(this.#text.slice(from, this.#at)) as string;
  }

  #isEscaped(): boolean {
    let at = this.#at;
    while (this.#text[at - 1] === '\\') at -= 1;
    return (this.#at - at) % 2 === 1;
  }

  /** A number, `true`, `false` or `null`. */
  #literal(): string {
    const from = this.#at;
    do this.#at += 1;
    while (/[\w.+-]/.test(this.#text[this.#at] ?? ''));
    return this.#text.slice(from, this.#at);
  }
}
