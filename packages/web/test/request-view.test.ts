import type { Field, FileDiff } from '@tugdeck/protocol/conversation/entries';
import { describe, expect, test } from 'vitest';
import { withoutDirectory } from '../src/features/conversation/project-paths.ts';
import { withoutBlankRuns } from '../src/features/diff/blank-rows.ts';
import { diffRows } from '../src/features/diff/diff-rows.ts';
import { changesOf } from '../src/features/requests/edit-changes.ts';
import { draftOf, editedInput } from '../src/features/requests/edited-input.ts';
import { permissionOutcome } from '../src/features/requests/permission-options.ts';
import {
  permissionHeading,
  permissionTitle,
  unlistedFields,
} from '../src/features/requests/permission-parts.ts';
import { blankPieces, blankText } from '../src/features/tool-results/blank-runs.ts';
import { rawJson } from '../src/features/tool-results/raw-json.ts';
import { disguisedHost, requestPath } from '../src/features/tool-results/request-path.ts';
import { shownFields } from '../src/features/tool-results/shown-fields.ts';
import { visibleExact } from '../src/kit/visible-text.ts';

const PROJECT = '/home/me/app';
const pathOf = (path: string) => requestPath(path, PROJECT);

describe('D20 a permission', () => {
  const command = (title: string) =>
    permissionHeading(
      { title, toolKind: 'shell', fields: [{ label: 'Command', value: 'npm test', form: 'code' }] },
      PROJECT,
    );
  test('that only repeats its command is titled by a sentence', () => {
    for (const title of ['npm test', 'Run npm test?', 'Bash: npm test']) {
      expect(command(title)).toBe('Run this command?');
    }
    for (const title of [
      'Type into: npm test',
      'Reach example.com',
      'npm test; npm test',
      'rm -rf / npm test',
    ]) {
      expect(command(title)).toBe(title);
    }
  });

  const options = [
    { id: 'once', label: 'Yes', effect: 'allow-once' as const },
    { id: 'rule', label: 'Always', effect: 'allow-always' as const },
  ];
  const outcome = (answer: object | undefined, own: object = {}) =>
    permissionOutcome({
      status: 'answered',
      shown: '',
      tool: 'Bash',
      toolKind: 'shell',
      title: 'x',
      fields: [],
      options,
      canEdit: true,
      canComment: true,
      ...(answer ? { answer: { type: 'permission', ...answer } } : {}),
      ...own,
    });
  test('is a fact of its tool once it is settled', () => {
    expect(outcome(undefined, { status: 'pending' })).toBeUndefined();
    expect(outcome({ behavior: 'allow', option: 'once' })?.text).toBe('allowed once');
    expect(outcome({ behavior: 'allow' }, { options: options.slice(0, 1) })?.text).toBe('allowed');
    expect(outcome({ behavior: 'allow', option: 'rule' })?.text).toBe('always allowed');
    expect(outcome({ behavior: 'allow', input: { a: 1 } })).toMatchObject({
      text: 'allowed with changes',
      hasMore: true,
    });
    expect(outcome({ behavior: 'deny', message: 'use pnpm' })).toMatchObject({
      text: 'denied: use pnpm',
      isRefused: true,
    });
    expect(outcome(undefined, { status: 'stale' })?.text).toBe('request expired');
    expect(outcome(undefined, { status: 'withdrawn' })?.text).toBe('request withdrawn');
  });
});

describe('C22 paths of a request', () => {
  test.each([
    ['/home/me/app/src/a.ts', 'src/a.ts'],
    ['src/././a.ts', 'src/a.ts'],
    ['./a.ts', 'a.ts'],
    ['/home/me/app', '.'],
    ['/home/me/app//src///a.ts', 'src/a.ts'],
  ])('%s is %s of the project', (path, text) => {
    expect(pathOf(path)).toMatchObject({ text, isOutside: false, isIndirect: false });
  });
  test.each([
    [`/etc/${'./'.repeat(1_000)}cron.d/evil`, '/etc/cron.d/evil'],
    ['../.bashrc', '/home/me/.bashrc'],
    ['/home/me/application/x', '/home/me/application/x'],
    ['/home/me/app-evil/x', '/home/me/app-evil/x'],
    ['/', '/'],
    ['~/.ssh/config', '~/.ssh/config'],
    ['~root/x', '~root/x'],
  ])('%s is outside', (path, text) => {
    expect(pathOf(path)).toMatchObject({ text, isOutside: true });
  });
  test('resolves and reports a `..` after a name', () => {
    expect(pathOf(`src/${'./'.repeat(50)}../../.bashrc`)).toEqual({
      text: '/home/me/.bashrc',
      isOutside: true,
      isIndirect: true,
    });
    expect(pathOf('src/../a.ts')).toEqual({ text: 'a.ts', isOutside: false, isIndirect: true });
    expect(pathOf('/home/me/app/../../../etc/passwd')).toMatchObject({
      text: '/etc/passwd',
      isOutside: true,
    });
  });
  test('without a known project only a path that climbs is outside', () => {
    expect(requestPath('a/b', undefined)).toMatchObject({ text: 'a/b', isOutside: false });
    expect(requestPath('../a', undefined)).toMatchObject({ text: '../a', isOutside: true });
  });
  test('escapes hidden characters in a name', () => {
    expect(pathOf('a\u202eb\n.ts').text).toBe('a⟨U+202E⟩b⟨U+000A⟩.ts');
  });
  test('the title names the resolved file, and is relative only where a path begins', () => {
    const path = `/etc/${'./'.repeat(50)}passwd`;
    const fields: Field[] = [{ label: 'File', value: path, form: 'path' }];
    expect(permissionTitle({ title: `Write ${path}?`, fields }, PROJECT)).toBe('Write /etc/passwd?');
    expect(permissionTitle({ title: `Write ${PROJECT}/a.ts?`, fields: [] }, PROJECT)).toBe('Write a.ts?');
    expect(withoutDirectory(`Write /etc${PROJECT}/a?`, PROJECT)).toBe(`Write /etc${PROJECT}/a?`);
    expect(withoutDirectory(`Write ${PROJECT}/../../../etc/a?`, PROJECT)).toContain('../../../etc');
    expect(withoutDirectory(`cat ${PROJECT}/../x`, PROJECT)).toBe(`cat ${PROJECT}/../x`);
  });
});

describe('C22 runs of blanks', () => {
  test('become a count, with everything around them unchanged', () => {
    expect(blankText(`git status${'\n'.repeat(201)}curl x | sh`)).toBe(
      'git status\n⟨200 blank lines⟩\ncurl x | sh',
    );
    expect(blankText(`a\n${' \t \n'.repeat(7)}b`)).toBe('a\n⟨7 blank lines⟩\nb');
    expect(blankText(`ls${' '.repeat(500)}; rm x`)).toBe('ls⟨500 blanks⟩; rm x');
    expect(blankText('a\n\n\nb')).toBe('a\n\n\nb');
  });
  test('differ from text that looks the same', () => {
    expect(blankPieces('⟨9 blank lines⟩')).toEqual([{ text: '⟨9 blank lines⟩', isRun: false }]);
  });
  test('become a count in a diff too', () => {
    const lines = ['+first', ...Array<string>(200).fill('+'), '+last'];
    const rows = withoutBlankRuns(
      diffRows([{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 202, lines }]),
    );
    expect(rows.map(({ text }) => text)).toEqual(['first', '200 blank lines added', 'last']);
    expect(rows.at(-1)?.new).toBe(202);
  });
});

describe('C6 the raw view', () => {
  test('shows every character, and parses to the same data', () => {
    const value = {
      command: [
        'a\u202eb',
        'e\u0301'.repeat(3) + '\u0301'.repeat(80),
        '\ud800',
        '\u2800\u3164\u00a0\ufe0f\u{e0041}',
      ],
      '\u200b': 'नमस्ते ⟨U+202E⟩ "\\u0041" 👩‍👧',
    };
    const text = rawJson(value);
    expect(JSON.parse(text)).toEqual(value);
    expect(text).toContain('\\u202e');
    expect(text).not.toMatch(/[\u200b\u202e\u2800\u3164\u00a0]|\ufe0f|\p{M}{5}/u);
  });
  test('escapes every character that the card writes out', () => {
    const left: string[] = [];
    for (let from = 0x20; from < 0x110000; from += 0x1000) {
      const codes = Array.from({ length: 0x1000 }, (_, at) => Math.min(from + at, 0x10ffff));
      // Pictures of control characters are visible; the card escapes them because it has its own notation.
      const some = codes.filter((code) => code < 0x2400 || code > 0x243f);
      const text = rawJson(some.map((code) => String.fromCodePoint(code)).join('x'));
      if (visibleExact(text) === text) continue;
      left.push(...[...text].filter((character) => visibleExact(character) !== character));
    }
    expect(left.map((character) => character.codePointAt(0)?.toString(16))).toEqual([]);
  });
  test('counts the fields that the card does not list', () => {
    const fields: Field[] = [{ label: 'A', value: 'x', form: 'text' }];
    expect(unlistedFields({ input: { a: 'x', b: null, c: '' }, fields })).toBe(2);
    expect(unlistedFields({ input: 'text', fields })).toBe(0);
  });
});

describe('C6 fields beside a diff', () => {
  const diff: FileDiff[] = [
    { path: 'a', hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, lines: ['+# curl x | sh'] }] },
  ];
  test('a command that also occurs in the changed text is still shown', () => {
    const command: Field = { label: 'Command', value: 'curl x | sh', form: 'code' };
    const content: Field = { label: 'Content', value: '# curl x | sh', form: 'code' };
    expect(shownFields([command, content], diff)).toEqual([command]);
  });
});

describe('C21 edited input', () => {
  const INPUTS: readonly unknown[] = [
    'plain text',
    { command: 'ls', timeout: 1e21, list: [1, { a: null }], on: false },
    JSON.parse('{"__proto__":"own","":"no name","command":["ls","-l"]}'),
    {},
    [1, 2],
    null,
  ];
  test.each(INPUTS.map((input) => [JSON.stringify(input), input]))(
    '%s is the same when nothing is typed',
    (_, input) => {
      expect(editedInput(input, draftOf(input))).toEqual({ isValid: true, value: input ?? {} });
    },
  );
  test('a command comes first, as text; a field accepts only its type', () => {
    const input = { description: 'd', command: 'a\nb', timeout: 5 };
    const draft = draftOf(input);
    if (draft.form !== 'fields') throw new Error('no fields');
    expect(draft.fields.map(({ key, kind }) => [key, kind])).toEqual([
      ['command', 'text'],
      ['description', 'text'],
      ['timeout', 'json'],
    ]);
    const typed = (key: string, text: string) =>
      editedInput(input, {
        ...draft,
        fields: draft.fields.map((field) => (field.key === key ? { ...field, text } : field)),
      });
    expect(typed('command', '7')).toEqual({ isValid: true, value: { ...input, command: '7' } });
    expect(typed('timeout', '7')).toEqual({ isValid: true, value: { ...input, timeout: 7 } });
    expect(typed('timeout', '7x')).toEqual({ isValid: false });
  });
  test('summarizes the changes in a line', () => {
    expect(changesOf({ command: 'a', x: 1 }, { command: 'b', x: 1 })).toBe('b');
    expect(changesOf({ a_b: 1, x: 1 }, { a_b: [2] })).toBe('A b: [2], X: removed');
    expect(changesOf('a', 'b'.repeat(999))).toHaveLength(301);
  });
});

test('C22 a URL that looks like another one shows its real host', () => {
  expect(disguisedHost('https://gıthub.com/x')).toBe('xn--gthub-n4a.com');
  expect(disguisedHost('https://github.com@evil.example/x')).toBe('evil.example');
  expect(disguisedHost('https://0x7f.1/')).toBe('127.0.0.1');
  expect(disguisedHost('https:\\\\evil.example')).toBe('evil.example');
  for (const plain of ['https://GitHub.com/x', 'http://127.0.0.1:8080', 'no address', 'file:///etc/passwd'])
    expect(disguisedHost(plain)).toBeUndefined();
});
