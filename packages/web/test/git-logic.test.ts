import type { Client } from '@tugdeck/client/client';
import type { GitFile, RepositoryStatus } from '@tugdeck/protocol/git/git-messages';
import type { ReviewComment } from '@tugdeck/protocol/review/review-messages';
import { expect, test } from 'vitest';
import { changeGroups, letterOf, splitPath } from '../src/cards/git/change-groups.ts';
import { GitStore } from '../src/cards/git/git-store.ts';
import { graphRows } from '../src/cards/git/graph.ts';
import { placeOf, strayComments } from '../src/cards/review/comment-places.ts';
import { diffRows } from '../src/features/diff/diff-rows.ts';

const file = (path: string, letters: string, conflict?: string): GitFile =>
  ({ path, index: letters[0], work: letters[1], ...(conflict ? { conflict } : {}) }) as GitFile;

test('W3 groups files by state; a partly staged file is in two groups', () => {
  const files = [
    file('half.ts', 'MM'),
    file('new.ts', '.?'),
    file('gone.ts', '.D'),
    file('x.ts', '..', 'UU'),
  ];
  const status = { kind: 'repository', prefix: '', stashes: 0, more: 0, files } satisfies RepositoryStatus;
  expect(changeGroups(status).map(({ name, files: own }) => [name, own.map(({ path }) => path)])).toEqual([
    ['conflicts', ['x.ts']],
    ['staged', ['half.ts']],
    ['changes', ['half.ts', 'gone.ts']],
    ['untracked', ['new.ts']],
  ]);
  expect(files.map((one) => letterOf(one, 'unstaged'))).toEqual(['M', '?', 'D', '!']);
  expect(splitPath('a/b/c.ts')).toEqual({ folder: 'a/b/', name: 'c.ts' });
  expect(splitPath('nested/repo/')).toEqual({ folder: 'nested/', name: 'repo/' });
});

test('W33 the graph keeps a branch on its lane and merges lanes in a common parent', () => {
  const rows = graphRows([
    { commit: 'merge', parents: ['main', 'side'] },
    { commit: 'side', parents: ['root'] },
    { commit: 'main', parents: ['root'] },
    { commit: 'root', parents: [] },
  ]);
  expect(rows.map(({ lane }) => lane)).toEqual([0, 1, 0, 0]);
  expect(rows[0]?.parents).toEqual([0, 1]);
  expect(rows[3]?.merged).toEqual([0, 1]);
  expect(rows[3]?.below).toEqual([]);
});

test('W4 places a comment at its old or new line, and keeps one whose line is gone', () => {
  const rows = diffRows([
    { oldStart: 4, oldLines: 2, newStart: 4, newLines: 2, lines: [' same', '-old', '+new'] },
  ]);
  expect(rows.map(placeOf)).toEqual([
    { side: 'new', line: 4 },
    { side: 'old', line: 5 },
    { side: 'new', line: 5 },
  ]);
  const at = (id: string, side: 'new' | 'old', line: number): ReviewComment => ({
    id,
    path: 'a.ts',
    side,
    line,
    quote: '',
    text: 'x',
    at: 0,
  });
  const comments = [at('R1', 'old', 5), at('R2', 'new', 99), at('R3', 'old', 4)];
  expect(strayComments(comments, 'a.ts', rows).map(({ id }) => id)).toEqual(['R2', 'R3']);
});

/** A git area that replies when the test tells it to. */
function delayedArea() {
  const requests: { type: string; done: () => void; fail: () => void }[] = [];
  const call = (type: string) =>
    new Promise<unknown>((resolve, reject) => {
      requests.push({ type, done: () => resolve({}), fail: () => reject(new Error('no')) });
    });
  const view = { get: () => ({}), subscribe: () => () => undefined };
  return { requests, client: { openArea: () => ({ view, call }) } as unknown as Client };
}
const turn = () => new Promise((done) => setImmediate(done));

test.each([
  ['done', ['stage', 'commit']],
  ['fail', ['stage']],
] as const)('W31 a commit waits while files are being staged (%s)', async (end, types) => {
  const { requests, client } = delayedArea();
  const store = new GitStore(client, 'p');
  void store.act('Staging…', 'stage', { paths: ['a'] });
  const committed = store.commit('message', false);
  expect(await store.commit('pressed twice', false)).toBe(false);
  expect(requests.map(({ type }) => type)).toEqual(['stage']);
  requests[0]?.[end]();
  await turn();
  expect(requests.map(({ type }) => type)).toEqual(types);
  requests[1]?.done();
  expect(await committed).toBe(end === 'done');
});
