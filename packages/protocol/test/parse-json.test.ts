import { describe, expect, test } from 'vitest';
import { hasEscapedKeyEnd, parseJson, readJson } from '../src/parse-json.ts';
import { createRandom, type Random } from './random-conversation.ts';

/** Keys that differ only in how they end, each in several notations. */
const ENDS = ['\\\\', '\\n', '\\"', '\\u0041', '\\u0073', 'A', 's', '\\\\\\"', '\\/', ''];
const NAMES = ['', 'k', 'hook', '__proto__', 'k\\\\'];

function randomText(random: Random, depth = 0): string {
  const kind = random.below(depth > 4 ? 3 : 5);
  const blank = () => random.pick(['', '', ' ', '\n', '\t', '\r\n ']);
  if (kind === 0) return random.pick(['0', '-0', '1.50', '12345678901234567890', '1e400', '-2E-3']);
  if (kind === 1) return random.pick(['true', 'false', 'null']);
  if (kind === 2)
    return random.pick(['""', '"\\\\"', '"{\\"a\\\\\\\\\\":[1]}"', '"]: ,"', '"\\ud83d\\ude00 \u{1f600}"']);
  const parts = Array.from(
    { length: random.below(4) },
    () => `${blank()}${randomText(random, depth + 1)}${blank()}`,
  );
  if (kind === 3) return `[${parts.join(',')}${parts.length === 0 ? blank() : ''}]`;
  const key = () => `"${random.pick(NAMES)}${random.pick(ENDS)}"`;
  return `{${parts.map((part) => `${blank()}${key()}${blank()}:${part}`).join(',')}}`;
}

/** Objects as lists of members, so that order, `__proto__` and `-0` count. */
function members(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(members);
  if (typeof value === 'object' && value !== null) {
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    return Object.entries(value).map(([key, part]) => [key, members(part)]);
  }
  return Object.is(value, -0) ? '-0' : value;
}

describe('X41 keys are read as written', () => {
  test('after a key that ends with a backslash in an object of the same shape', () => {
    parseJson('{"a":1,"hook\\\\":2}');
    expect(parseJson('{"a":1,"hook\\u0073":2}')).toEqual({ a: 1, hooks: 2 });
    expect(parseJson('{"a":1,"hook\\n" : 2}')).toEqual({ a: 1, 'hook\n': 2 });
    expect(parseJson('[{"a":1,"hook\\"":{}}]')).toEqual([{ a: 1, 'hook"': {} }]);
    expect(parseJson('{"hook\\\\":1,"hook\\u0073":2}')).toEqual({ 'hook\\': 1, hooks: 2 });
  });

  test('in any text, with the values of JSON.parse', () => {
    const random = createRandom(244);
    for (let round = 0; round < 3_000; round += 1) {
      const text = randomText(random);
      const value = parseJson(text);
      expect(members(readJson(text))).toEqual(members(value));
      // With other keys each time, JSON.parse is not affected by the bug.
      const fresh = JSON.parse(text.replace(/"((?:[^"\\]|\\.)*)"(\s*:)/g, `"$1\u2063${round}"$2`)) as unknown;
      expect(JSON.stringify(members(value))).toBe(
        JSON.stringify(members(fresh)).replaceAll(`\u2063${round}`, ''),
      );
    }
  });
});

test('X41 only texts with such a key are read twice', () => {
  for (const text of [
    '{"a\\nb":1}',
    '{"a":"\\n"}',
    '{"a":"{\\\\\\"b\\\\\\":1}"}',
    '["\\n",1]',
    '{"k\\\\n":1}',
  ])
    expect(hasEscapedKeyEnd(text)).toBe(false);
  for (const text of ['{"a\\n":1}', '{"\\u0061" :1}', '{"a\\\\":1}', '{"a\\\\\\"":1}'])
    expect(hasEscapedKeyEnd(text)).toBe(true);
  expect(hasEscapedKeyEnd('\\'.repeat(1_000_000))).toBe(false);
});

test('X41 throws like JSON.parse, at any depth', () => {
  for (const text of ['', '{"a\\n":1', '{"a\\n":1}}', '{"a\\n":01}', '{"a\\n":1,}'])
    expect(() => parseJson(text)).toThrow(SyntaxError);
  const deep = `${'['.repeat(5_000)}{"a\\n":1}${']'.repeat(5_000)}`;
  expect(parseJson(deep)).toBeInstanceOf(Array);
  expect(parseJson(' "\\n" ')).toBe('\n');
});
