import fc from 'fast-check';
import { expect, test } from 'vitest';
import { appendJson, at, parseJsonc, setJson } from '../src/kit/setup/json-edit.ts';
import {
  appendTomlItem,
  parseToml,
  removeTomlTable,
  setTomlItem,
  setTomlKeys,
} from '../src/kit/setup/toml-edit.ts';

const ODD = `\uFEFF// head
{
\t"a": 1, // first
\t/* between */ "list": [ "x",
\t\t"y" /* why */,
\t],
\t"mcpServers": {
\t\t// mine
\t\t"one": { "command": "a", "args": [] }, // after one
\t\t"two": {"command":"b"}   // after two
\t}
}
// tail
`;

test('A61 JSON keeps comments, order, indentation and trailing commas', () => {
  const changed = setJson(ODD, ['mcpServers', 'one', 'command'], 'c');
  expect(changed).toBe(ODD.replace('"command": "a"', '"command": "c"'));
  const added = setJson(ODD, ['mcpServers', 'three'], { command: 'd', args: ['e'] });
  expect(added).toBe(
    ODD.replace(
      '{"command":"b"}   // after two\n',
      '{"command":"b"},   // after two\n\t\t"three": {\n\t\t\t"command": "d",\n\t\t\t"args": [\n\t\t\t\t"e"\n\t\t\t]\n\t\t}\n',
    ),
  );
  const last = setJson(ODD, ['mcpServers', 'two'], undefined);
  expect(last).toBe(
    ODD.replace('"args": [] },', '"args": [] }').replace(
      '\t\t"two": {"command":"b"}   // after two',
      '\t\t   // after two',
    ),
  );
  expect(setJson(ODD, ['mcpServers', 'one'], undefined)).toBe(
    ODD.replace('"one": { "command": "a", "args": [] }, ', ''),
  );
  expect(appendJson(ODD, ['list'], 'z')).toBe(ODD.replace('/* why */,\n', '/* why */,\n\t\t"z",\n'));
  expect(setJson(ODD, ['list', 0], undefined)).toBe(ODD.replace('"x",\n', '\n'));
});

test('A61 JSON is created where nothing was, with the line ends of the file', () => {
  expect(setJson('', ['permissions', 'allow'], ['Bash(ls)'])).toBe(
    '{\n  "permissions": {\n    "allow": [\n      "Bash(ls)"\n    ]\n  }\n}\n',
  );
  expect(setJson('{\r\n}\r\n', ['a'], 1)).toBe('{\r\n  "a": 1\r\n}\r\n');
  expect(setJson('{}', ['a'], { b: [1] })).toBe('{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}');
  expect(setJson('{"a":1}', ['b'], 'x')).toBe('{"a":1, "b": "x"}');
  expect(() => setJson('{', ['b'], 'x')).toThrow('line 1');
  expect(() => setJson('[1]', ['b'], 'x')).toThrow();
});

const space = fc.constantFrom('', ' ', '\n', '\n  ', ' // c\n', '/* d */ ', '\r\n\t', '  # no'.slice(0, 2));
const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'x y', 'é', '"', '\\');
const scalar = fc.oneof(fc.integer(), fc.boolean(), fc.string({ maxLength: 5 }), fc.constant(null));

/** JSON with any whitespace and comments between its tokens. */
const looseJson = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar.map((value) => JSON.stringify(value)),
    tie('object'),
    fc
      .tuple(fc.array(fc.tuple(space, tie('value'), space), { maxLength: 3 }), fc.boolean(), space)
      .map(
        ([items, comma, end]) =>
          `[${items.map((item) => item.join('')).join(',')}${comma && items.length > 0 ? ',' : ''}${end}]`,
      ),
  ),
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(name, tie('value'), space, space, space), {
        maxLength: 4,
        selector: ([key]) => key,
      }),
      fc.boolean(),
      space,
    )
    .map(
      ([members, comma, end]) =>
        `{${members.map(([key, value, a, b, c]) => `${a}${JSON.stringify(key)}${b}:${value}${c}`).join(',')}${comma && members.length > 0 ? ',' : ''}${end}}`,
    ),
})).object;

const comments = (text: string) =>
  [...text.matchAll(/"(?:[^"\\]|\\.)*"|(\/\/ c|\/\* d \*\/)/g)].flatMap(([, c]) => c ?? []);

test('A61 any change of any JSON is exactly that change, and no comment is lost', () => {
  fc.assert(
    fc.property(looseJson, name, fc.option(scalar, { nil: undefined }), (text, key, value) => {
      const before = parseJsonc(text) as Record<string, unknown>;
      const result = setJson(text, [key], value);
      const expected = new Map(Object.entries(before));
      if (value === undefined) expected.delete(key);
      else expected.set(key, value);
      expect(parseJsonc(result)).toEqual(Object.fromEntries(expected));
      if (value === undefined || !Object.hasOwn(before, key) || typeof before[key] !== 'object') {
        const inValue = value === undefined && Object.hasOwn(before, key) ? JSON.stringify(before[key]) : '';
        if (inValue === '' || typeof before[key] !== 'object')
          expect(comments(result).length).toBeGreaterThanOrEqual(
            comments(text).length - (value === undefined ? 2 : 0),
          );
      }
      // Everything before and after the changed line is the same.
      if (value !== undefined && Object.hasOwn(before, key) && typeof before[key] !== 'object') {
        const was = JSON.stringify(before[key]);
        const now = JSON.stringify(value);
        expect(result.length - text.length).toBe(now.length - was.length);
      }
      // Reverting the change restores the file, where a value was replaced.
      if (value !== undefined && Object.hasOwn(before, key) && typeof before[key] !== 'object')
        expect(setJson(result, [key], before[key])).toBe(text);
    }),
    { numRuns: 200 },
  );
});

const TOML = `# head
model = "m"   # why

[mcp_servers.one] # first
command = "a"
args = ["x", # inside
  "y"]

[mcp_servers.one.env]
KEY = 'v'   # secret

  [mcp_servers."two words"]
  url = "https://x.example"
[[rule]]
a = 1 # r1

[[rule]]
b = """
[not.a.table]
"""
[rule.inner]
c = 2
`;

test('A61 TOML keeps comments, order and spaces', () => {
  expect(setTomlKeys(TOML, ['mcp_servers', 'one'], { command: 'b' })).toBe(TOML.replace('"a"', '"b"'));
  expect(setTomlKeys(TOML, ['mcp_servers', 'one'], { args: undefined })).toBe(
    TOML.replace('args = ["x", # inside\n  "y"]\n', ''),
  );
  expect(setTomlKeys(TOML, ['mcp_servers', 'one'], { enabled: false })).toBe(
    TOML.replace('  "y"]\n', '  "y"]\nenabled = false\n'),
  );
  expect(setTomlKeys(TOML, ['mcp_servers', 'one'], { env: { KEY: 'v', B: 'c' } })).toBe(
    TOML.replace('# secret\n', '# secret\nB = "c"\n'),
  );
  expect(setTomlKeys(TOML, ['mcp_servers', 'three'], { command: 'c', args: ['d'] })).toBe(
    `${TOML}\n[mcp_servers.three]\ncommand = "c"\nargs = [ "d" ]\n`.replace('[ "d" ]', '["d"]'),
  );
  expect(removeTomlTable(TOML, ['mcp_servers', 'two words'])).toBe(
    TOML.replace('  [mcp_servers."two words"]\n  url = "https://x.example"\n', ''),
  );
  expect(setTomlKeys(TOML, [], { approval_policy: 'never' })).toContain('approval_policy = "never"\n');
  expect(setTomlItem(TOML, 'rule', 0, { a: 2 })).toBe(TOML.replace('a = 1', 'a = 2'));
  expect(setTomlItem(TOML, 'rule', 1, undefined)).toBe(TOML.slice(0, TOML.lastIndexOf('[[rule]]')));
  expect(appendTomlItem(TOML, 'rule', { d: 'e' })).toBe(`${TOML}\n[[rule]]\nd = "e"\n`);
});

test('A61 TOML that would be damaged is refused', () => {
  expect(() =>
    setTomlKeys('mcp_servers = { one = { command = "a" } }\n', ['mcp_servers', 'one'], { command: 'b' }),
  ).toThrow();
  expect(() => setTomlKeys('a = [\n', [], { b: 1 })).toThrow();
});

const tomlKey = fc.constantFrom('a', 'b', '"q r"', "'s'");
const tomlValue = fc.constantFrom(
  '1',
  'true',
  '"x"',
  "'y'",
  '[1, 2]',
  '[\n  "m", # c\n]',
  '{ k = "v" }',
  '"""\n[x]\n"""',
  '1979-05-27',
);
const tomlEnd = fc.constantFrom('\n', ' # c\n', '\n\n', '   \n# d\n');
const tomlKeys = fc
  .uniqueArray(fc.tuple(tomlKey, tomlValue, tomlEnd), { maxLength: 4, selector: ([key]) => key })
  .map((lines) => lines.map(([key, value, end]) => `${key} = ${value}${end}`).join(''));
const tomlText = fc
  .tuple(
    tomlKeys,
    fc.uniqueArray(fc.tuple(fc.constantFrom('t', 'u.one', 'u.two', 'u."q r"'), tomlEnd, tomlKeys), {
      selector: ([head]) => head,
    }),
  )
  .map(([top, tables]) => top + tables.map(([head, end, keys]) => `[${head}]${end}${keys}`).join(''));

test('A61 any change of any TOML is exactly that change, and no comment is lost', () => {
  const path = fc.constantFrom([], ['t'], ['u', 'one'], ['u', 'new']);
  const value = fc.constantFrom(undefined, 'n', 7, ['p'], { z: 'w' });
  fc.assert(
    fc.property(tomlText, path, fc.constantFrom('a', 'q r', 'new'), value, (text, table, key, fresh) => {
      const before = parseToml(text);
      const result = setTomlKeys(text, table, { [key]: fresh });
      expect(at(parseToml(result), [...table, key])).toEqual(fresh);
      const count = (one: string) => one.split(/# [cd]/).length;
      const isWithComment = Array.isArray(at(before, [...table, key])) || fresh === undefined;
      if (!isWithComment) expect(count(result)).toBe(count(text));
    }),
    { numRuns: 200 },
  );
});
