import type { Entry, Field, FileDiff, ToolEntry } from '@tugdeck/protocol/conversation/entries';
import { conversationMarkdown } from '@tugdeck/protocol/export/markdown';
import { patchText } from '@tugdeck/protocol/export/patch-text';
import { describe, expect, test } from 'vitest';
import { matchesOf } from '../src/cards/conversation/find/finder.ts';
import { searchText } from '../src/cards/conversation/find/search-text.ts';
import { isAtEnd } from '../src/cards/conversation/use-follow-answers.ts';
import { relativePath } from '../src/features/conversation/project-paths.ts';
import { makeRows, needsUser, pathTo } from '../src/features/conversation/rows.ts';
import { diffRows, splitRows } from '../src/features/diff/diff-rows.ts';
import { wordMarks } from '../src/features/diff/word-marks.ts';
import { toolTitle } from '../src/features/entries/tool-title.ts';
import { languageOfFence, languageOfPath } from '../src/features/highlight/languages.ts';
import { lineRuns, piecesOf, runsOf } from '../src/features/highlight/runs.ts';
import { kindOfColor, SYNTAX_KINDS, SYNTAX_THEME } from '../src/features/highlight/syntax-theme.ts';
import { parseAnsi } from '../src/features/tool-results/ansi.ts';
import { partsOf, summaryOf } from '../src/features/tool-results/json-parts.ts';
import { matchGroups } from '../src/features/tool-results/match-groups.ts';
import { shownFields } from '../src/features/tool-results/shown-fields.ts';
import { entryOfHash, hashOfEntry, sessionOfHash } from '../src/kit/route.ts';

test('C11 answering continues to follow the end if only open requests come after the answered one', () => {
  const row = (id: string, more: object = {}) => ({ id, ids: [id], ...more });
  const rows = [row('text'), row('tool', { permission: 'one' }), row('two')];
  expect(isAtEnd(rows, 'two', ['one', 'two'])).toBe(true);
  expect(isAtEnd(rows, 'one', ['one', 'two'])).toBe(true);
  expect(isAtEnd(rows, 'one', ['one'])).toBe(false);
  expect(isAtEnd([...rows, row('later')], 'one', ['one', 'two'])).toBe(false);
  expect(isAtEnd(rows, 'missing', ['two'])).toBe(false);
});

const entry = (fields: object) =>
  ({ status: 'complete', at: 0, seq: 0, rev: 0, ...fields }) as unknown as Entry;
const text = (id: string, words: string, more: object = {}) =>
  entry({ kind: 'text', id, text: words, ...more });
const tool = (id: string, more: object = {}) =>
  entry({
    kind: 'tool',
    id,
    name: 'Tool',
    title: id,
    toolKind: 'agent',
    state: 'done',
    ...more,
  }) as ToolEntry;
const rowsOf = (...entries: Entry[]) => {
  const map = new Map(entries.map((one) => [one.id, one]));
  return makeRows([...map.keys()], (id) => map.get(id)).rows;
};

describe('C12 subagents', () => {
  test('nests the steps of a subagent under its tool, at any depth', () => {
    const rows = rowsOf(
      tool('a'),
      text('b', '', { parent: 'a' }),
      tool('c', { parent: 'a' }),
      text('d', '', { parent: 'c' }),
      text('e', ''),
    );
    expect(rows.map(({ id }) => id)).toEqual(['a', 'e']);
    expect(rows[0]?.nested?.map(({ id }) => id)).toEqual(['b', 'c']);
    expect(pathTo(rows, 'd').map(({ id }) => id)).toEqual(['a', 'c', 'd']);
  });
  test('shows a step whose tool is not loaded as a row', () => {
    expect(rowsOf(text('b', '', { parent: 'gone' })).map(({ id }) => id)).toEqual(['b']);
  });
  test('finds a nested request at any depth', () => {
    const request = entry({ kind: 'permission', id: 'p', parent: 'c', request: { status: 'pending' } });
    const all = [tool('a'), tool('c', { parent: 'a' }), request];
    const [row] = rowsOf(...all);
    expect(row && needsUser(row, (id) => all.find((one) => one.id === id))).toBe(true);
  });
});

describe('C10 interrupted', () => {
  const notice = entry({ kind: 'notice', id: 'n', notice: 'interrupted', text: 'Interrupted' });
  test('is shown once: as the label of the answer, or as a line', () => {
    expect(rowsOf(text('t', 'half', { status: 'cancelled' }), notice).map(({ id }) => id)).toEqual(['t']);
    expect(rowsOf(text('t', 'whole'), notice).map(({ id }) => id)).toEqual(['t', 'n']);
  });
});

describe('C4 tool titles, fields and paths', () => {
  const field = (label: string, value: string, form: Field['form']): Field => ({ label, value, form });
  const words = (more: object) => {
    const { verb, object } = toolTitle(tool('x', more), '/home/me/app');
    return object === undefined ? verb : `${verb} ${object}`;
  };
  test('verb and object, relative to the project', () => {
    expect(
      words({ toolKind: 'shell', title: 'Bash: npm test', fields: [field('Command', 'npm test', 'code')] }),
    ).toBe('Run npm test');
    expect(words({ toolKind: 'read', fields: [field('File', '/home/me/app/src/a.ts', 'path')] })).toBe(
      'Read src/a.ts',
    );
    expect(words({ toolKind: 'edit', title: 'Edit src/a.ts' })).toBe('Edit src/a.ts');
    expect(words({ toolKind: 'shell', name: 'Bash', title: 'Bash: ls' })).toBe('Run ls');
    expect(words({ toolKind: 'agent', name: 'Task', title: 'Task: Look around' })).toBe('Look around');
    expect(words({ toolKind: 'other', title: 'tracker · list' })).toBe('tracker · list');
    expect(words({ toolKind: 'search', title: 'Look around in the project' })).toBe(
      'Look around in the project',
    );
    expect(words({ toolKind: 'search', title: 'setCookie' })).toBe('Search setCookie');
  });
  test('a path outside the project stays absolute', () => {
    expect(relativePath('/home/me/apple/x', '/home/me/app')).toBe('/home/me/apple/x');
    expect(relativePath('/etc/hosts', '/home/me/app')).toBe('/etc/hosts');
    expect(relativePath('/home/me/app/x', '/home/me/app/')).toBe('x');
  });
  test('omits fields that the diff shows', () => {
    const diff: FileDiff[] = [
      {
        path: '/p/a.ts',
        hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-old text', '+new text'] }],
      },
    ];
    const fields = [
      field('File', '/p/a.ts', 'path'),
      field('Replace', 'old text', 'code'),
      field('With', 'new text\n', 'code'),
      field('Replace all', 'false', 'text'),
    ];
    expect(shownFields(fields, diff)).toEqual([]);
    expect(shownFields(fields, undefined)).toEqual(fields);
    const others = [field('Replace all', 'true', 'text'), field('With', 'other text', 'code')];
    expect(shownFields(others, diff)).toEqual(others);
    const blob = { blob: 'd'.repeat(64), size: 99_999, head: 'new text\nand on', tail: '' };
    const long = { ...field('With', '', 'code'), value: blob };
    expect(shownFields([long], diff)).toEqual([long]);
    expect(
      shownFields([long], [{ ...diff[0], path: '/p/a.ts', hunks: diff[0]?.hunks ?? [], more: blob }]),
    ).toEqual([]);
  });
  test('groups search hits by file, and keeps other text', () => {
    expect(matchGroups('a.ts:3:let x\na.ts:9:let y\nb.ts:1:z')).toEqual([
      {
        path: 'a.ts',
        lines: [
          { number: 3, text: 'let x' },
          { number: 9, text: 'let y' },
        ],
      },
      { path: 'b.ts', lines: [{ number: 1, text: 'z' }] },
    ]);
    expect(matchGroups('no hits here')).toBeUndefined();
  });
  test('splits arrays and objects, not single values', () => {
    expect(partsOf({ a: 1 })).toEqual([{ name: 'a', value: 1 }]);
    expect([partsOf('x'), partsOf(null), partsOf([])]).toEqual([undefined, undefined, undefined]);
    expect([summaryOf([1, 2]), summaryOf({ a: 1 })]).toEqual(['[2 items]', '{1 key}']);
  });
  test('maps every palette color to one of sixteen', () => {
    expect(parseAnsi('\u001b[38;2;250;20;20mx')[0]?.classes).toBe('ansi-bright-red');
    expect(parseAnsi('\u001b[38;5;34mx')[0]?.classes).toBe('ansi-green');
    expect(parseAnsi('\u001b[48;5;226mx')[0]?.classes).toBe('ansi-on-yellow');
    expect(parseAnsi('\u001b[41;3mx')[0]?.classes).toBe('ansi-on-red ansi-italic');
  });
});

describe('C4 diffs', () => {
  const hunk = (lines: string[]) => [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines }];
  test('marks changed words, also when lines moved', () => {
    expect(wordMarks('let a = 1;', 'let bb = 1;')).toMatchObject({ old: [[4, 5]], new: [[4, 6]] });
    const rows = diffRows(hunk(['-go();', '-set(a, b);', '+set(a, b, c);', '+go();']));
    expect(rows.map(({ marks }) => marks)).toEqual([undefined, [], [[8, 11]], undefined]);
  });
  test('side by side, removed lines face their replacements', () => {
    const rows = splitRows(diffRows(hunk([' a', '-b', '+c', '+d', ' e'])));
    expect(rows.map(({ left, right }) => [left?.text, right?.text])).toEqual([
      ['a', 'a'],
      ['b', 'c'],
      [undefined, 'd'],
      ['e', 'e'],
    ]);
  });
  test('a copied diff is a valid patch', () => {
    expect(patchText({ path: 'x', hunks: hunk(['-a', '+b']) })).toBe(
      '--- x\n+++ x\n@@ -1,1 +1,1 @@\n-a\n+b\n',
    );
  });
});

describe('C3 highlighting', () => {
  test('runs cover the text and do not change it', () => {
    const source = 'let a = 1;\n\nlet b;';
    const runs = runsOf(
      [
        { offset: 0, length: 3, kind: 1 },
        { offset: 8, length: 1, kind: 3 },
        { offset: 12, length: 3, kind: 1 },
      ],
      source.length,
    );
    expect(
      piecesOf(source, runs)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(source);
    expect(piecesOf(source, runs, 4, 9)).toEqual([
      { text: 'a = ', kind: 0 },
      { text: '1', kind: 3 },
    ]);
    expect(lineRuns(source, runs).map((line) => line.map((piece) => piece.text).join(''))).toEqual(
      source.split('\n'),
    );
    expect(
      piecesOf('grown since', [4, 1])
        .map((piece) => piece.text)
        .join(''),
    ).toBe('grown since');
  });
  test('finds the language by fence and by file name', () => {
    expect([languageOfFence('TS'), languageOfFence('sh'), languageOfFence('constructor')]).toEqual([
      'typescript',
      'shellscript',
      'constructor',
    ]);
    expect([languageOfPath('/a/b.rs'), languageOfPath('Dockerfile'), languageOfPath('LICENSE')]).toEqual([
      'rust',
      'dockerfile',
      '',
    ]);
  });
  test('every syntax kind survives the theme encoding', () => {
    const kinds = SYNTAX_THEME.settings.map(({ settings }) => SYNTAX_KINDS[kindOfColor(settings.foreground)]);
    expect(new Set(kinds)).toEqual(new Set(SYNTAX_KINDS));
    expect(kindOfColor(undefined)).toBe(0);
  });
});

describe('C16 navigation', () => {
  const shell = tool('s', {
    title: 'Bash: ls',
    fields: [{ label: 'Command', value: 'ls -la', form: 'code' }],
    result: { type: 'terminal', stdout: '\u001b[31mNeedle\u001b[0m', stderr: '' },
  });
  test('finds collapsed text, ignoring case', () => {
    expect(matchesOf([text('a', 'no'), shell, text('b', 'a NEEDLE here')], 'needle')).toEqual(['s', 'b']);
    expect(searchText(shell)).toContain('ls -la');
    expect(matchesOf([text('a', 'x')], '')).toEqual([]);
  });
  test('exports the conversation as Markdown from the model', () => {
    const user = entry({ kind: 'user', id: 'u', text: 'Do it', delivery: 'delivered' });
    expect(conversationMarkdown([user, text('a', '**done**'), shell])).toBe(
      '### You\n\nDo it\n\n**done**\n\n**Bash: ls**\n\n```\nCommand: ls -la\nNeedle\n```\n',
    );
  });
  test('a link contains the session and the entry, for any id', () => {
    const hash = hashOfEntry('s1', 'a/b #1');
    expect([sessionOfHash(hash), entryOfHash(hash)]).toEqual(['s1', 'a/b #1']);
    expect([
      sessionOfHash('#/session/s1'),
      entryOfHash('#/session/s1'),
      entryOfHash('#/session/s1/%'),
    ]).toEqual(['s1', undefined, undefined]);
  });
});
