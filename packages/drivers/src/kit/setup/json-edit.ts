/**
 * Changes one value in JSON with comments and keeps every other byte: comments, order, indentation, line ends,
 * trailing commas. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { type JsonChild, type JsonNode, parseJsonTree } from './json-tree.ts';
import { applySplices, lineEndOf, removal, type Splice } from './splice.ts';

export type JsonPath = readonly (string | number)[];

export function parseJsonc(text: string): unknown {
  return text.trim() === '' ? {} : parseJsonTree(text).value;
}

/** Sets the value at a path, creating the objects on the way; undefined removes it. Changes only what differs. */
export function setJson(text: string, path: JsonPath, value: unknown): string {
  if (text.trim() === '') {
    return value === undefined ? text : `${JSON.stringify(nested(path, value), null, 2)}\n`;
  }
  const was = at(parseJsonc(text), path);
  if (isDeepStrictEqual(was, value)) return text;
  if (isObject(was) && isObject(value) && Object.keys(was).some((key) => value[key] !== undefined)) {
    const keys = new Set([...Object.keys(was), ...Object.keys(value)]);
    return [...keys].reduce(
      (result, key) => setJson(result, [...path, key], Object.hasOwn(value, key) ? value[key] : undefined),
      text,
    );
  }
  const editor = new Editor(text);
  editor.set(parseJsonTree(text), path, value);
  return editor.result();
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Appends to the array at a path, which is created if it is missing. */
export function appendJson(text: string, path: JsonPath, value: unknown): string {
  const list = at(parseJsonc(text), path);
  if (list !== undefined && !Array.isArray(list)) throw new SyntaxError(`${path.join('.')} is not a list`);
  return list === undefined ? setJson(text, path, [value]) : setJson(text, [...path, list.length], value);
}

export function at(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Record<string | number, unknown>)[key]
        : undefined,
    value,
  );
}

class Editor {
  readonly #text: string;
  readonly #splices: Splice[] = [];
  readonly #eol: string;
  readonly #unit: string;

  constructor(text: string) {
    this.#text = text;
    this.#eol = lineEndOf(text);
    this.#unit = /\n([ \t]+)["[{\]}]/.exec(text)?.[1] ?? '  ';
  }

  result(): string {
    return applySplices(this.#text, this.#splices);
  }

  set(node: JsonNode, path: JsonPath, value: unknown): void {
    const [key, ...rest] = path;
    if (key === undefined) {
      this.#replace(node, value);
      return;
    }
    const { children } = node;
    if (!children || Array.isArray(node.value) !== (typeof key === 'number')) {
      throw new SyntaxError(`${String(key)} can't be set here`);
    }
    // The last of several members with the same name counts.
    const index = typeof key === 'number' ? key : children.findLastIndex((child) => child.key === key);
    const child = children[index];
    if (!child) {
      if (value !== undefined)
        this.#insert(node, children, typeof key === 'string' ? key : undefined, nested(rest, value));
    } else if (rest.length === 0 && value === undefined) this.#remove(children, index);
    else this.set(child.node, rest, value);
  }

  #replace({ start, end }: JsonNode, value: unknown): void {
    const isMultiline = this.#text.slice(start, end).includes('\n');
    this.#splices.push({ start, end, text: this.#write(value, this.#indentAt(start), isMultiline) });
  }

  #insert(node: JsonNode, children: readonly JsonChild[], key: string | undefined, value: unknown): void {
    const last = children.at(-1);
    const isMultiline = !last || this.#text.slice(node.start, last.start).includes('\n');
    const outer = this.#indentAt(node.start);
    const indent = last && isMultiline ? this.#indentAt(last.start) : outer + this.#unit;
    const prefix = key === undefined ? '' : `${JSON.stringify(key)}: `;
    const isArrayItem = key === undefined && typeof value !== 'object';
    const written = prefix + this.#write(value, indent, isMultiline && !isArrayItem);
    if (!last) {
      // Comments inside stay before it.
      const inside = this.#text.slice(node.start + 1, node.end - 1);
      const end = node.start + 1 + inside.trimEnd().length;
      const text = `${this.#eol}${indent}${written}${this.#eol}${outer}`;
      this.#splices.push({ start: end, end: node.end - 1, text });
      return;
    }
    const hasComma = last.commaEnd !== undefined;
    if (!isMultiline) {
      const text = hasComma ? ` ${written},` : `, ${written}`;
      const place = last.commaEnd ?? last.node.end;
      this.#splices.push({ start: place, end: place, text });
      return;
    }
    if (!hasComma) this.#splices.push({ start: last.node.end, end: last.node.end, text: ',' });
    // After comments that follow the last one.
    const from = last.commaEnd ?? last.node.end;
    const end = from + this.#text.slice(from, node.end - 1).trimEnd().length;
    this.#splices.push({ start: end, end, text: `${this.#eol}${indent}${written}${hasComma ? ',' : ''}` });
  }

  #remove(children: readonly JsonChild[], index: number): void {
    const child = children[index];
    if (!child) return;
    const before = children[index - 1];
    const { node, start, commaEnd } = child;
    // It was the last one: the comma before it goes too.
    if (commaEnd === undefined && before?.commaEnd !== undefined) {
      this.#splices.push({ start: before.commaEnd - 1, end: before.commaEnd, text: '' });
    }
    const end = commaEnd ?? node.end;
    const whole = removal(this.#text, start, end);
    if (whole.start !== start) this.#splices.push(whole);
    else {
      const space = /[ \t]*/y;
      space.lastIndex = end;
      const after = space.exec(this.#text)?.[0].length ?? 0;
      const isFollowed = commaEnd !== undefined && index < children.length - 1;
      this.#splices.push({ start, end: isFollowed ? end + after : end, text: '' });
    }
  }

  #write(value: unknown, indent: string, isMultiline: boolean): string {
    if (!isMultiline) return inline(value);
    return JSON.stringify(value, null, this.#unit).replaceAll('\n', this.#eol + indent);
  }

  /** The whitespace before the line of a position. */
  #indentAt(position: number): string {
    const start = this.#text.lastIndexOf('\n', position - 1) + 1;
    return /^[ \t]*/.exec(this.#text.slice(start, position))?.[0] ?? '';
  }
}

function nested(path: JsonPath, value: unknown): unknown {
  return [...path]
    .reverse()
    .reduce((inner: unknown, key) => (typeof key === 'number' ? [inner] : { [key]: inner }), value);
}

/** On one line, with the spaces that people write. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${inline(one)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
