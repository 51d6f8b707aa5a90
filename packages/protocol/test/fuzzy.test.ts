import { expect, test } from 'vitest';
import { fuzzyMatch, fuzzySort } from '../src/fuzzy.ts';

const best = (query: string, names: string[]) =>
  fuzzySort(
    query,
    names.map((name) => ({ name })),
    ({ name }) => name,
  ).map(({ name }) => name);

test('C9 letters must occur in order', () => {
  expect(fuzzyMatch('apt', 'src/app.ts')).toBeDefined();
  expect(fuzzyMatch('pta', 'src/app.ts')).toBeUndefined();
  expect(fuzzyMatch('appsts', 'app.ts')).toBeUndefined();
  expect(fuzzyMatch('', 'anything')).toEqual({ score: 0, at: [] });
});

test('C9 the last path segment, word starts and whole names come first', () => {
  expect(best('app', ['app-store/index.ts', 'src/happy.ts', 'src/app.ts'])[0]).toBe('src/app.ts');
  expect(best('cw', ['lib/cowork.ts', 'src/compact-words.ts'])[0]).toBe('src/compact-words.ts');
  expect(best('review', ['pr-review-all', 'review', 'reviewers'])[0]).toBe('review');
});

test('C9 reports matching positions', () => {
  expect(fuzzyMatch('APP', 'src/app.ts')?.at).toEqual([4, 5, 6]);
});
