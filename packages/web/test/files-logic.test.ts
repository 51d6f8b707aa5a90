import { EditorState, Text } from '@codemirror/state';
import type { Listing } from '@tugdeck/protocol/files/messages';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alternativePath } from '../src/cards/files/alternative-path.ts';
import { hitRows } from '../src/cards/files/search-model.ts';
import { rowByLetters, treeMove, treeRows } from '../src/cards/files/tree-rows.ts';
import { refusal } from '../src/cards/files/use-tree-actions.ts';
import { languageName } from '../src/features/editor/languages.ts';
import { lineEndOf, smallestChange } from '../src/features/editor/text-changes.ts';
import { fileItem, parseItem } from '../src/features/files/file-item.ts';
import { visiblePath, visibleText } from '../src/kit/visible-text.ts';

const listing = (folder: string, ...names: string[]): [string, Listing] => [
  folder,
  {
    folder,
    left: 0,
    entries: names.map((name) => ({
      name: name.replace('/', ''),
      kind: name.endsWith('/') ? 'folder' : 'file',
    })),
  },
];
const listings = new Map([listing('', 'src/', 'a.txt', 'b.txt'), listing('src', 'deep/', 'c.ts')]);

test('W20 the tree shows expanded folders, and the row being named in place', () => {
  const paths = (opened: string[], folder?: string) =>
    treeRows({
      listings,
      opened: new Set(opened),
      adding: folder === undefined ? undefined : { folder },
    }).map(({ path, level }) => `${level} ${path}`);
  expect(paths([])).toEqual(['1 src', '1 a.txt', '1 b.txt']);
  expect(paths(['src', 'src/deep'])).toEqual(['1 src', '2 src/deep', '2 src/c.ts', '1 a.txt', '1 b.txt']);
  expect(paths(['src'], 'src')[1]).toBe('2 src/');
});

test('W2 keys move, collapse, open, rename and delete in the tree', () => {
  const rows = treeRows({ listings, opened: new Set(['src']) });
  const press = (key: string, chosen?: string) => treeMove(rows, chosen, key, { isModified: false });
  expect(press('ArrowDown')).toEqual({ kind: 'choose', path: 'src' });
  expect(press('ArrowDown', 'b.txt')).toEqual({ kind: 'choose', path: 'b.txt' });
  expect(press('ArrowRight', 'src')).toEqual({ kind: 'choose', path: 'src/deep' });
  expect(press('ArrowRight', 'src/deep')).toEqual({ kind: 'unfold', path: 'src/deep' });
  expect(press('ArrowLeft', 'src/c.ts')).toEqual({ kind: 'choose', path: 'src' });
  expect(press('ArrowLeft', 'src')).toEqual({ kind: 'fold', path: 'src' });
  expect(press('Enter', 'a.txt')).toEqual({ kind: 'open', path: 'a.txt' });
  expect(press('F2', 'a.txt')).toEqual({ kind: 'rename', path: 'a.txt' });
  expect(press('Delete', 'a.txt')).toEqual({ kind: 'delete', path: 'a.txt' });
  expect(press('x', 'a.txt')).toBeUndefined();
  expect(treeMove(rows, 'a.txt', 'z', { isModified: true })?.kind).toBe('undo');
  expect(rowByLetters(rows, 'src', 'b')?.path).toBe('b.txt');
});

test('W22 the editor leaves a text unchanged, whatever its line endings', () => {
  const sign = fc.constantFrom('a', 'ä', '\n', '\r', '\r\n', '\u2028', '\t', '👩‍👧', '\ufeff');
  fc.assert(
    fc.property(fc.string({ unit: sign, maxLength: 30 }), (text) => {
      const lineEnd = lineEndOf(text);
      const state = EditorState.create({
        doc: Text.of(text.split(lineEnd)),
        extensions: EditorState.lineSeparator.of(lineEnd),
      });
      expect(state.sliceDoc()).toBe(text);
    }),
    { seed: 1 },
  );
  expect(['a\r\nb', 'a\nb\r\nc', 'a\rb', ''].map(lineEndOf)).toEqual(['\r\n', '\n', '\n', '\n']);
});

test('W22 the smallest change turns one text into the other without splitting a line end', () => {
  const sign = fc.constantFrom('a', 'b', '\r\n', '👩');
  const text = fc.string({ unit: sign, maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const change = smallestChange(before, after);
      if (!change) {
        expect(after).toBe(before);
        return;
      }
      const { from, to, insert } = change;
      expect(before.slice(0, from) + insert + before.slice(to)).toBe(after);
      for (const [whole, at] of [
        [before, from],
        [before, to],
      ] as const) {
        expect(whole.slice(at - 1, at + 1)).not.toBe('\r\n');
        expect(whole.slice(at - 1, at + 1)).not.toBe('👩');
      }
    }),
    { seed: 1 },
  );
});

test('W22 file names determine the language; an item names a file and a line', () => {
  const names = ['a.ts', 'x/Dockerfile', 'README.md', 'noend', '.env', 'a.unknown', 'ts'];
  expect(names.map(languageName)).toEqual([
    'ts',
    'docker',
    'markdown',
    undefined,
    'ini',
    undefined,
    undefined,
  ]);
  expect(parseItem(fileItem('a/b#L.ts', 12))).toEqual({ path: 'a/b#L.ts', line: 12 });
  expect(parseItem('a#b.ts')).toEqual({ path: 'a#b.ts', line: undefined });
});

test('W26 groups hits by file, even if they arrive mixed', () => {
  const hit = (path: string, line: number) => ({ path, line, text: '', at: [], column: 0 });
  const rows = hitRows([hit('a', 1), hit('b', 1), hit('a', 2)]);
  expect(rows.map(({ path, hit: one, count }) => `${path} ${one?.line ?? `(${count})`}`)).toEqual([
    'a (2)',
    'a 1',
    'a 2',
    'b (1)',
    'b 1',
  ]);
});

test('W21 a file restored beside an existing one keeps its folder and extension', () => {
  expect(alternativePath('src/a.test.ts')).toBe('src/a.test (restored).ts');
  expect(alternativePath('Makefile')).toBe('Makefile (restored)');
  expect(alternativePath('x/.env')).toBe('x/.env (restored)');
});

test('W2 no character in a file name can pass as a space', () => {
  expect(visiblePath('new\nline\there.txt')).toBe('new⟨U+000A⟩line⟨U+0009⟩here.txt');
  expect(visiblePath('a\u202egpj.exe')).toBe('a⟨U+202E⟩gpj.exe');
  expect(visiblePath('src/ünï cödé.md')).toBe('src/ünï cödé.md');
  expect(visibleText('two\nlines')).toBe('two\nlines');
});

test('W2 explains why an item in the tree cannot be opened', () => {
  expect(refusal('out', true)).toBe(
    'Can’t open out: it’s a link that is broken or points outside the project',
  );
  expect(refusal('pipe\u202e', false)).toContain('Can’t open pipe⟨U+202E⟩: it’s neither a file nor a folder');
  expect(refusal('bad-\ufffd', false)).toContain('isn’t valid UTF-8');
});
