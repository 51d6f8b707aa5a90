/**
 * Changes keys and tables in TOML and keeps every other byte. Finds statements by position; each result is parsed
 * again and compared with the intended value, so that a file with unusual syntax is refused instead of damaged. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'smol-toml';
import { applySplices, lineEndOf, removal, type Splice } from './splice.ts';

type Table = Record<string, unknown>;
export type TomlPath = readonly string[];

export function parseToml(text: string): Table {
  // Through JSON, so that dates become strings and objects are plain.
  return JSON.parse(JSON.stringify(parse(text.startsWith('\uFEFF') ? text.slice(1) : text)));
}

/** Sets the keys of a table, which is created if it is missing; undefined removes a key. Other keys stay. */
export function setTomlKeys(text: string, table: TomlPath, keys: Readonly<Table>): string {
  const next = structuredClone(parseToml(text));
  const isMissing = statements(text).every(({ path }) => !startsWith(path, table));
  if (isMissing && Object.values(keys).every((value) => value === undefined)) return text;
  let target = next;
  for (const name of table) {
    if (!Object.hasOwn(target, name)) Object.assign(target, { [name]: {} });
    target = target[name] as Table;
  }
  for (const [key, value] of Object.entries(keys)) {
    if (value === undefined) delete target[key];
    else target[key] = value;
  }
  return checked(write(text, table, keys), next);
}

/** Removes a table with its subtables. */
export function removeTomlTable(text: string, table: TomlPath): string {
  const next = structuredClone(parseToml(text));
  const parent = table.slice(0, -1).reduce<Table>((inner, name) => (inner[name] ?? {}) as Table, next);
  delete parent[table.at(-1) ?? ''];
  const splices = statements(text)
    .filter(({ path }) => startsWith(path, table))
    .map(({ start, end }) => removal(text, start, end));
  const result = applySplices(text, splices);
  return checked(result, next, table.slice(0, -1));
}

/** Appends `[[name]]` with these keys. */
export function appendTomlItem(text: string, name: string, item: Readonly<Table>): string {
  const next = structuredClone(parseToml(text));
  next[name] = [...((next[name] as unknown[] | undefined) ?? []), item];
  return checked(appended(text, `[[${quotedKey(name)}]]`, item), next);
}

/** Replaces keys of the item with this index in `[[name]]`; an undefined item removes it. */
export function setTomlItem(
  text: string,
  name: string,
  index: number,
  item: Readonly<Table> | undefined,
): string {
  const next = structuredClone(parseToml(text));
  const items = next[name] as Table[];
  const heads = statements(text).filter((one) => one.isItem && one.path.length === 1 && one.path[0] === name);
  const own = heads[index];
  if (!own || !items[index]) throw new SyntaxError(`${name} ${index} isn't in the file`);
  const after = statements(text).find((one) => one.isHead && one.start > own.start && !isBelow(one, name));
  const inside = statements(text).filter(
    (one) => one.start >= own.start && one.start < (after?.start ?? text.length),
  );
  if (item === undefined) {
    items.splice(index, 1);
    if (items.length === 0) delete next[name];
    return checked(
      applySplices(
        text,
        inside.map(({ start, end }) => removal(text, start, end)),
      ),
      next,
    );
  }
  const was = items[index];
  items[index] = item;
  const splices: Splice[] = [];
  for (const [key, value] of Object.entries({
    ...Object.fromEntries(Object.keys(was).map((one) => [one, undefined])),
    ...item,
  })) {
    const known = inside.find((one) => !one.isHead && one.path.length === 2 && one.path[1] === key);
    if (known && value === undefined) splices.push(removal(text, known.start, known.end));
    else if (known && !isDeepStrictEqual(was[key], value))
      splices.push({ start: known.valueStart, end: known.end, text: literal(value) });
    else if (!known && value !== undefined) {
      const last = inside.at(-1) ?? own;
      splices.push({
        start: endOfLine(text, last.end),
        end: endOfLine(text, last.end),
        text: `${lineEndOf(text)}${quotedKey(key)} = ${literal(value)}`,
      });
    }
  }
  return checked(applySplices(text, splices), next);
}

function isBelow({ path, isItem }: Statement, name: string): boolean {
  return path[0] === name && !(isItem && path.length === 1);
}

function write(text: string, table: TomlPath, keys: Readonly<Table>): string {
  const all = statements(text);
  const own = all.filter(
    ({ path, isHead }) => !isHead && path.length === table.length + 1 && startsWith(path, table),
  );
  const head = all.find((one) => one.isHead && !one.isItem && isDeepStrictEqual(one.path, [...table]));
  const splices: Splice[] = [];
  const added: Table = {};
  for (const [key, value] of Object.entries(keys)) {
    const known = own.find(({ path }) => path.at(-1) === key);
    const below = all.filter(
      ({ path }) => path.length > table.length + 1 && startsWith(path, [...table, key]),
    );
    // The value may be a table: `[server.env]`.
    const belowHead = all.filter((one) => one.isHead && startsWith(one.path, [...table, key]));
    const former = [...new Set([...below, ...belowHead])];
    if (known) {
      splices.push(
        value === undefined
          ? removal(text, known.start, known.end)
          : { start: known.valueStart, end: known.end, text: literal(value) },
      );
    } else if (former.length > 0 && typeof value === 'object' && value !== null && !Array.isArray(value)) {
      const was = at(parseToml(text), [...table, key]);
      const gone = Object.keys(was).filter((name) => !Object.hasOwn(value, name));
      const inner = { ...Object.fromEntries(gone.map((name) => [name, undefined])), ...value };
      const changed = Object.entries(inner).filter(([name, one]) => !isDeepStrictEqual(was[name], one));
      const rest = write(text, [...table, key], Object.fromEntries(changed));
      return write(rest, table, Object.fromEntries(Object.entries(keys).filter(([name]) => name !== key)));
    } else {
      splices.push(...former.map(({ start, end }) => removal(text, start, end)));
      if (value !== undefined) added[key] = value;
    }
  }
  const lines = Object.entries(added).map(([key, value]) => `${quotedKey(key)} = ${literal(value)}`);
  if (lines.length > 0) {
    const last = own.at(-1) ?? head;
    const eol = lineEndOf(text);
    if (last) {
      const place = endOfLine(text, last.end);
      splices.push({ start: place, end: place, text: lines.map((line) => eol + line).join('') });
    } else if (table.length === 0) {
      // Before the first table.
      const place = all.find(({ isHead }) => isHead)?.start ?? 0;
      splices.push({
        start: place,
        end: place,
        text: lines.map((line) => line + eol).join('') + (place > 0 ? eol : ''),
      });
    } else return appended(applySplices(text, splices), `[${table.map(quotedKey).join('.')}]`, added);
  }
  return applySplices(text, splices);
}

function appended(text: string, head: string, keys: Readonly<Table>): string {
  const eol = lineEndOf(text);
  const lines = Object.entries(keys).filter(([, value]) => value !== undefined);
  const body = [head, ...lines.map(([key, value]) => `${quotedKey(key)} = ${literal(value)}`), ''].join(eol);
  if (text.trim() === '') return text + body;
  return `${text}${text.endsWith('\n') ? '' : eol}${eol}${body}`;
}

/** `emptied`: a table that may be gone as well, with the tables around it, because nothing is left in it. */
function checked(text: string, expected: Table, emptied: TomlPath = []): string {
  const result = parseToml(text);
  const bare = structuredClone(expected);
  for (let depth = emptied.length; !isDeepStrictEqual(result, bare); depth--) {
    const path = emptied.slice(0, depth);
    const last = path.at(-1);
    if (last === undefined || Object.keys(at(bare, path)).length > 0)
      throw new SyntaxError("this part of the file can't be edited here");
    delete at(bare, path.slice(0, -1))[last];
  }
  return text;
}

interface Statement {
  /** The whole key: of a table, or of a value with its table. */
  readonly path: TomlPath;
  readonly isHead: boolean;
  /** `[[…]]` */
  readonly isItem: boolean;
  readonly start: number;
  readonly end: number;
  readonly valueStart: number;
}

const KEY = String.raw`(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')`;
const KEYS = String.raw`${KEY}(?:[ \t]*\.[ \t]*${KEY})*`;

/** Tables and values with their positions. The text is valid TOML. */
function statements(text: string): Statement[] {
  const found: Statement[] = [];
  let table: TomlPath = [];
  const next = new RegExp(
    String.raw`(?:\s|#[^\n]*|\uFEFF)*(?:(\[\[?)[ \t]*(${KEYS})[ \t]*\]\]?|(${KEYS})[ \t]*=[ \t]*)?`,
    'y',
  );
  for (let position = 0; position < text.length; ) {
    next.lastIndex = position;
    const match = next.exec(text);
    const end = position + (match?.[0].length ?? 0);
    const [, bracket, head, key] = match ?? [];
    if (head !== undefined && bracket !== undefined) {
      table = namesOf(head);
      const start = text.lastIndexOf(bracket, text.lastIndexOf(head, end));
      found.push({ path: table, isHead: true, isItem: bracket === '[[', start, end, valueStart: end });
      position = end;
    } else if (key !== undefined) {
      const line = Math.max(position, text.lastIndexOf('\n', end - 1) + 1);
      const start = end - text.slice(line, end).trimStart().length;
      const valueEnd = endOfValue(text, end);
      found.push({
        path: [...table, ...namesOf(key)],
        isHead: false,
        isItem: false,
        start,
        end: valueEnd,
        valueStart: end,
      });
      position = valueEnd;
    } else if (end >= text.length) break;
    else throw new SyntaxError("this file can't be edited here");
  }
  return found;
}

function namesOf(keys: string): string[] {
  return [...keys.matchAll(new RegExp(KEY, 'g'))].map(([name]) =>
    name.startsWith('"') ? (Object.keys(parse(`${name} = 1`))[0] ?? '') : name.replace(/^'|'$/g, ''),
  );
}

function endOfValue(text: string, start: number): number {
  const token =
    /"""[\s\S]*?(?<!\\)"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[\]{},]|\s+|[^\s"'#[\]{},]+/y;
  let depth = 0;
  let end = start;
  for (let position = start; position < text.length; ) {
    token.lastIndex = position;
    const part = token.exec(text)?.[0];
    if (part === undefined) throw new SyntaxError("this file can't be edited here");
    if (depth === 0 && (part.startsWith('#') || part.includes('\n') === true) && !/^("""|''')/.test(part))
      return end;
    if (part === '[' || part === '{') depth++;
    if (part === ']' || part === '}') depth--;
    position += part.length;
    if (!/^\s+$/.test(part)) end = position;
  }
  return end;
}

/** After a comment on the same line. */
function endOfLine(text: string, position: number): number {
  const rest = /[^\r\n]*/y;
  rest.lastIndex = position;
  return position + (rest.exec(text)?.[0].length ?? 0);
}

function startsWith(path: TomlPath, start: TomlPath): boolean {
  return path.length >= start.length && start.every((name, index) => path[index] === name);
}

function at(value: Table, path: TomlPath): Table {
  return path.reduce<Table>((inner, name) => (inner[name] ?? {}) as Table, value);
}

function quotedKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, one]) => `${quotedKey(key)} = ${literal(one)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  return stringify({ v: value }).trimEnd().slice('v = '.length);
}
