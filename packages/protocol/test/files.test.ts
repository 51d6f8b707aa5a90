import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as model from '../src/files/document.ts';
import { mergeTexts } from '../src/files/merge-texts.ts';
import { isGitOwn, pathFault } from '../src/files/paths.ts';
import { fuzzySort } from '../src/fuzzy.ts';
import { type FuzzyResult, fuzzyBlock, searchBlocks } from '../src/fuzzy-list.ts';

const disk = (text: string) => ({ text, hash: `hash of ${text}` });

test('W23 an unmodified text follows the disk; a modified one asks the user', () => {
  const opened = model.openDocument(disk('one'));
  expect(model.updateFromDisk(opened, disk('two'))).toMatchObject({
    text: 'two',
    conflict: undefined,
    replaced: 'one',
  });
  const typed = model.edit(opened, 'mine');
  const met = model.updateFromDisk(typed, disk('two'));
  expect(met).toMatchObject({ text: 'mine', conflict: { theirs: 'two' } });
  expect(model.beginSave(met)).toBeUndefined();
  expect(model.resolveConflict(met, 'theirs')).toMatchObject({
    text: 'two',
    base: disk('two'),
    conflict: undefined,
  });
  const kept = model.resolveConflict(met, 'mine');
  expect(model.beginSave(kept)).toMatchObject({ saving: 'mine', base: disk('two') });
  expect(model.updateFromDisk(met, disk('one')).conflict).toBeUndefined();
  expect(model.updateFromDisk(met, disk('mine'))).toMatchObject({ base: disk('mine'), conflict: undefined });
});

test('W22 a draft of an older text is a conflict, of the same one only unsaved', () => {
  expect(model.openDocument(disk('two'), { text: 'mine', base: disk('one') }).conflict?.theirs).toBe('two');
  expect(model.openDocument(disk('one'), { text: 'mine', base: disk('one') })).toMatchObject({
    text: 'mine',
    conflict: undefined,
  });
});

test('W23 a conflict survives a reload and any number of reads of the same file', () => {
  const reloaded = model.openDocument(disk('two'), { text: 'mine', base: disk('one') });
  const looked = model.updateFromDisk(model.updateFromDisk(reloaded, disk('two')), disk('two'));
  expect(looked.conflict?.theirs).toBe('two');
  expect(model.beginSave(looked)).toBeUndefined();
});

test('W23 a save whose answer was lost does not conflict with itself', () => {
  const begun = model.beginSave(model.edit(model.openDocument(disk('one')), 'two'));
  const lost = model.edit(model.saveLost(begun ?? model.openDocument(undefined)), 'two and more');
  expect(model.updateFromDisk(lost, disk('two'))).toMatchObject({
    base: disk('two'),
    conflict: undefined,
    text: 'two and more',
  });
  expect(model.updateFromDisk(lost, disk('other')).conflict?.theirs).toBe('other');
});

test('W23 a file deleted while open is kept and can be created again', () => {
  const gone = model.updateFromDisk(model.openDocument(disk('one')), undefined);
  expect(gone).toMatchObject({ text: 'one', conflict: { theirs: undefined } });
  expect(model.beginSave(model.resolveConflict(gone, 'mine'))).toMatchObject({
    base: undefined,
    saving: 'one',
  });
});

test('W23 asks about a text that a save overwrote, whatever is on disk', () => {
  const met = model.overtaken(model.openDocument(disk('mine')), 'late');
  expect(model.updateFromDisk(met, disk('mine')).conflict?.theirs).toBe('late');
  expect(model.resolveConflict(met, 'theirs')).toMatchObject({ text: 'late', base: disk('mine') });
});

test('W23 merges changes of different lines, but not of the same or adjacent ones', () => {
  expect(mergeTexts('a\nb\nc\nd', 'A\nb\nc\nd', 'a\nb\nc\nD\ne')).toBe('A\nb\nc\nD\ne');
  expect(mergeTexts('a\nb\nc', 'a\nB\nc', 'a\nX\nc')).toBeUndefined();
  expect(mergeTexts('a\nb\nc', 'A\nb\nc', 'a\nB\nc')).toBeUndefined();
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 5 }), fc.string(), fc.string(), (lines, head, tail) => {
      const fresh = (text: string) => `${text}!${lines.join('')}`.replaceAll('\n', '');
      const base = lines.map((line) => line.replaceAll('\n', ''));
      const mine = [fresh(head), ...base.slice(1)];
      const theirs = [...base.slice(0, -1), fresh(tail)];
      const both = [fresh(head), ...base.slice(1, -1), fresh(tail)];
      expect(mergeTexts(base.join('\n'), mine.join('\n'), theirs.join('\n'))).toBe(both.join('\n'));
    }),
    { seed: 1 },
  );
});

test('X33 detects invalid paths and paths to outside by their form', () => {
  for (const path of ['..', 'a/../b', '/a', 'C:/x'])
    expect([path, pathFault(path)]).toEqual([path, 'outside']);
  for (const path of ['a//b', 'a/', './a', 'a\0b', '\udc00']) expect(pathFault(path)).toBe('unreadable');
  for (const path of ['', 'a', 'a/b.c', '..a', 'a..', '%2e%2e', '…']) expect(pathFault(path)).toBeUndefined();
  expect(['.git', 'a/.GIT/b', '.git./x', '.gitignore', 'git'].map(isGitOwn)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

test('W25 the fast list finds and orders like the plain one', () => {
  const letter = fc.constantFrom(...'abAB/-_.x1éÉİ');
  const path = fc.string({ unit: letter, minLength: 1, maxLength: 14 });
  const some = fc.uniqueArray(path, { maxLength: 20 });
  fc.assert(
    fc.property(
      some,
      some,
      fc.string({ unit: letter, maxLength: 4 }),
      fc.nat({ max: 4 }),
      (first, second, query, begun) => {
        const all = [first, second].map((names) => ({ block: fuzzyBlock(names) }));
        const paths = [...first, ...second];
        // As it is typed: only the matches of the shorter query are searched.
        const before = answered(searchBlocks(all, query.slice(0, begun), 10));
        const answer = answered(searchBlocks(before.matching, query, 10));
        const plain = fuzzySort(
          query,
          paths.map((name) => ({ name })),
          ({ name }) => name,
        );
        expect(answer.found.map(({ score }) => score)).toEqual(
          plain.slice(0, 10).map(({ match }) => match.score),
        );
        const matching = answer.matching.flatMap(({ block, rows = new Uint16Array() }) =>
          [...rows].map((row) => block.paths[row]),
        );
        expect(matching).toEqual(expect.arrayContaining(plain.map(({ name }) => name)));
      },
    ),
    { seed: 1 },
  );
});

function answered(search: ReturnType<typeof searchBlocks>): FuzzyResult {
  let step = search.next();
  while (!step.done) step = search.next();
  return step.value;
}
