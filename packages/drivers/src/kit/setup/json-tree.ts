/** Parses JSON with comments and trailing commas into a tree with positions, for edits that keep everything else. Pure. */

export interface JsonNode {
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
  /** Of an object or an array. */
  readonly children?: readonly JsonChild[];
}

export interface JsonChild {
  /** Of an object's member. */
  readonly key?: string;
  /** Of the key, or of the element. */
  readonly start: number;
  readonly node: JsonNode;
  /** Position after the comma that follows, if there is one. */
  readonly commaEnd?: number;
}

const MAX_DEPTH = 100;

/** Throws an error with the position if the text is not such JSON. */
export function parseJsonTree(text: string): JsonNode {
  const parser = new Parser(text);
  const node = parser.value(0);
  if (parser.skip() < text.length) parser.fail();
  return node;
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    if (text.startsWith('\uFEFF')) this.#at = 1;
  }

  fail(): never {
    throw new SyntaxError(`unexpected text in line ${this.#text.slice(0, this.#at).split('\n').length}`);
  }

  /** Skips whitespace and comments; returns the position. */
  skip(): number {
    const pattern = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
    pattern.lastIndex = this.#at;
    this.#at += pattern.exec(this.#text)?.[0].length ?? 0;
    return this.#at;
  }

  value(depth: number): JsonNode {
    const start = this.skip();
    if (depth > MAX_DEPTH) this.fail();
    const char = this.#text[start];
    if (char === '{' || char === '[') return this.#container(start, char === '{', depth);
    return { start, ...this.#token() };
  }

  #token(): { end: number; value: unknown } {
    const pattern = /"(?:[^"\\]|\\.)*"|[-+.\w]+/y;
    pattern.lastIndex = this.#at;
    const token = pattern.exec(this.#text)?.[0];
    if (token === undefined) return this.fail();
    let value: unknown;
    try {
      value = JSON.parse(token);
    } catch {
      this.fail();
    }
    this.#at += token.length;
    return { end: this.#at, value };
  }

  #container(start: number, isObject: boolean, depth: number): JsonNode {
    this.#at++;
    const children: JsonChild[] = [];
    for (;;) {
      const at = this.skip();
      if (this.#text[at] === (isObject ? '}' : ']')) break;
      const before = children.at(-1);
      if (before && before.commaEnd === undefined) this.fail();
      const key = isObject ? this.#key() : undefined;
      const node = this.value(depth + 1);
      const hasComma = this.#text[this.skip()] === ',';
      if (hasComma) this.#at++;
      children.push({
        start: at,
        node,
        ...(key === undefined ? {} : { key }),
        ...(hasComma ? { commaEnd: this.#at } : {}),
      });
    }
    this.#at++;
    return { start, end: this.#at, children, value: contentOf(children, isObject) };
  }

  #key(): string {
    if (this.#text[this.#at] !== '"') this.fail();
    const { value } = this.#token();
    if (this.#text[this.skip()] !== ':') this.fail();
    this.#at++;
    return value as string;
  }
}

function contentOf(children: readonly JsonChild[], isObject: boolean): unknown {
  if (!isObject) return children.map(({ node }) => node.value);
  // Not by assignment: a key may be `__proto__`.
  return Object.fromEntries(children.map(({ key = '', node }) => [key, node.value]));
}
