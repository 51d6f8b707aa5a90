import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { dataDirectory } from '@tugdeck/local/data-directory';
import type { review } from '@tugdeck/protocol/areas/review';
import { answersIn, commentMessage } from '@tugdeck/protocol/review/comment-message';
import type { ReviewScope, ReviewState } from '@tugdeck/protocol/review/review-messages';
import type { SessionTable } from '@tugdeck/store/session-table';
import { TurnTrees } from '@tugdeck/trees/turn-trees';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { serveReview } from '../src/review/review-area.ts';
import { ReviewRegistry } from '../src/review/review-registry.ts';
import { emptyTrash } from '../src/sessions/empty-trash.ts';
import { type CallMessage, type GitWorld, gitWorld, repositoryAt, silent } from './git-fixture.ts';

let world: GitWorld;
let count = 0;
let opened: { close(): void }[] = [];
beforeAll(() => {
  world = gitWorld();
});
afterEach(() => {
  for (const one of opened) one.close();
  opened = [];
});
afterAll(() => world.dispose());

const SINCE_START: ReviewScope = { since: 'session' };
const text = (changes: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: 40 }, (_, index) => `${changes[index + 1] ?? `line ${index + 1}`}\n`).join('');

/** A project with sessions whose turns are recorded like a host would. */
function projectWithSessions(files: Readonly<Record<string, string>>, isRepository = false) {
  count += 1;
  const directory = world.path(`p${count}`);
  const repository = repositoryAt(directory, isRepository);
  for (const [path, content] of Object.entries(files)) repository.write(path, content);
  if (isRepository) repository.commit('first');
  const data = dataDirectory(world.path(`d${count}`));
  let clock = 0;
  const registry = new ReviewRegistry({
    data,
    directoryOf: () => directory,
    siblings: () => ['s1', 's2'],
    log: silent,
    now: () => clock,
  });
  opened.push(registry);
  const session = (id: string) => {
    const page = serveReview(registry).open(
      { session: id },
      { push: () => undefined, bytes: () => undefined, signIn: 'here' },
    );
    const { trees: file } = data.session(id);
    const trees = new TurnTrees({
      home: data.trees,
      project: directory,
      session: id,
      file,
      now: () => ++clock,
      log: silent,
    });
    // biome-ignore lint/suspicious/noExplicitAny: a test names what it expects
    const call = async (request: CallMessage<typeof review>): Promise<any> => page.call(request);
    const state = async (scope: ReviewScope = SINCE_START): Promise<ReviewState> => {
      registry.hold(id).value.changed();
      return call({ type: 'state', scope });
    };
    return {
      call,
      state,
      names: async (scope?: ReviewScope) => (await state(scope)).files.map(({ path, by }) => [path, by]),
      begin: async (name: string) => {
        trees.accepted();
        trees.started(name);
        await trees.settled();
      },
      finish: async (name: string) => {
        trees.ended(name);
        await trees.settled();
      },
    };
  };
  return {
    ...repository,
    data,
    session,
    read: (path: string) => readFileSync(join(directory, path), 'utf8'),
  };
}

test('W4 shows what a session changed since it began and since a turn, also outside git, and whose change it is', async () => {
  const { write, session, directory } = projectWithSessions({
    'a.txt': text(),
    'b.txt': text(),
    'mine.txt': 'm\n',
    'gone.txt': 'g\n',
  });
  const one = session('s1');
  expect((await one.state()).missing).toBe('This session has no turns yet.');
  await one.begin('t1');
  write('a.txt', text({ 2: 'two' }));
  rmSync(join(directory, 'gone.txt'));
  await one.finish('t1');
  write('mine.txt', 'edited by the user\n');
  write('a.txt', text({ 2: 'two', 30: 'by the user' }));
  await one.begin('t2');
  write('ü new.txt', 'n\n');
  write('b.txt', text({ 3: 'three' }));
  await one.finish('t2');
  expect(await one.names()).toEqual([
    ['a.txt', 'both'],
    ['b.txt', 'session'],
    ['gone.txt', 'session'],
    ['mine.txt', 'others'],
    ['ü new.txt', 'session'],
  ]);
  expect(await one.names({ since: 'turn', turn: 't2' })).toEqual([
    ['b.txt', 'session'],
    ['ü new.txt', 'session'],
  ]);
  const diff = await one.call({ type: 'diff', scope: SINCE_START, path: 'a.txt' });
  expect(diff.hunks).toHaveLength(2);
  expect((await one.state()).turns.map(({ turn }) => turn)).toEqual(['t1', 't2']);
});

test('W4 distinguishes two sessions that work in one project at once', async () => {
  const { write, session } = projectWithSessions({ 'a.txt': text(), 'b.txt': text() });
  const one = session('s1');
  const two = session('s2');
  await one.begin('t1');
  await two.begin('u1');
  write('b.txt', text({ 9: 'by two' }));
  await two.finish('u1');
  write('a.txt', text({ 1: 'by one' }));
  await one.finish('t1');
  expect(await one.names()).toEqual([
    ['a.txt', 'session'],
    ['b.txt', 'both'],
  ]);
  expect(await two.names()).toEqual([
    ['a.txt', 'others'],
    ['b.txt', 'both'],
  ]);
});

test('W4 compares with the point where a branch and the current work diverged', async () => {
  const { write, session, commit, git } = projectWithSessions({ 'a.txt': text() }, true);
  git('checkout', '-q', '-b', 'work');
  commit('done before', { 'done.txt': 'd\n' });
  git('checkout', '-q', 'main');
  commit('main moved', { 'later.txt': 'l\n' });
  git('checkout', '-q', 'work');
  const one = session('s1');
  await one.begin('t1');
  write('a.txt', text({ 2: 'two' }));
  await one.finish('t1');
  expect(await one.names({ since: 'branch', branch: 'main' })).toEqual([
    ['a.txt', undefined],
    ['done.txt', undefined],
  ]);
  expect((await one.call({ type: 'branches' })).branches.sort()).toEqual(['main', 'work']);
  expect((await one.state({ since: 'branch', branch: 'gone' })).missing).toBe(
    'This branch no longer exists.',
  );
});

test('W4 reverts a hunk or a file and undoes that; a line that changed since is a conflict', async () => {
  const { write, session, read, directory } = projectWithSessions({
    'a.txt': text(),
    'gone.txt': 'g\n',
    'run.sh': '#!/bin/sh\n',
    'old.txt': text(),
  });
  chmodSync(join(directory, 'run.sh'), 0o755);
  const one = session('s1');
  await one.begin('t1');
  write('a.txt', text({ 2: 'two', 30: 'thirty' }));
  write('new.txt', 'n\n');
  rmSync(join(directory, 'gone.txt'));
  rmSync(join(directory, 'run.sh'));
  renameSync(join(directory, 'old.txt'), join(directory, 'moved.txt'));
  await one.finish('t1');
  const revert = (path: string, hunk?: string) =>
    one.call({ type: 'revert', scope: SINCE_START, path, ...(hunk ? { hunk } : {}) });
  const { hunks } = await one.call({ type: 'diff', scope: SINCE_START, path: 'a.txt' });
  const { undo } = await revert('a.txt', hunks[0].id);
  expect(read('a.txt')).toBe(text({ 30: 'thirty' }));
  await one.call({ type: 'undo', undo });
  expect(read('a.txt')).toBe(text({ 2: 'two', 30: 'thirty' }));
  await expect(one.call({ type: 'undo', undo })).rejects.toMatchObject({ code: 'NOT_FOUND' });

  const again = await revert('a.txt', hunks[1].id);
  write('a.txt', text({ 2: 'two', 9: 'an agent writes' }));
  await expect(one.call({ type: 'undo', undo: again.undo })).rejects.toMatchObject({
    code: 'REVIEW_CONFLICT',
  });
  expect(read('a.txt')).toBe(text({ 2: 'two', 9: 'an agent writes' }));
  await expect(revert('a.txt', hunks[1].id)).rejects.toMatchObject({ code: 'GIT_CHANGED' });

  const made = await revert('new.txt');
  expect(existsSync(join(directory, 'new.txt'))).toBe(false);
  await one.call({ type: 'undo', undo: made.undo });
  expect(read('new.txt')).toBe('n\n');
  await revert('gone.txt');
  expect(read('gone.txt')).toBe('g\n');
  await revert('run.sh');
  expect(statSync(join(directory, 'run.sh')).mode & 0o777).toBe(0o755);
  await revert('moved.txt');
  expect(existsSync(join(directory, 'moved.txt'))).toBe(false);
  expect(read('old.txt')).toBe(text());
  expect(await one.names()).toEqual([
    ['a.txt', 'both'],
    ['new.txt', 'session'],
  ]);
});

test('W4 X33 reverting follows no link out of the project', async () => {
  const { session, directory } = projectWithSessions({ 'in/a.txt': 'a\n' });
  const outside = world.path(`outside${count}`);
  mkdirSync(outside);
  writeFileSync(join(outside, 'a.txt'), 'precious\n');
  const one = session('s1');
  await one.begin('t1');
  rmSync(join(directory, 'in'), { recursive: true });
  symlinkSync(outside, join(directory, 'in'));
  await one.finish('t1');
  for (const path of ['in/a.txt', 'in', '../outside/a.txt', '.git/config']) {
    await one.call({ type: 'revert', scope: SINCE_START, path }).catch(() => undefined);
  }
  expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('precious\n');
});

test('W4 S5 permanently deleting a session deletes its trees, and no others', async () => {
  const { data, session, write } = projectWithSessions({ 'a.txt': 'a\n' });
  for (const id of ['s1', 's2']) {
    const { begin, finish, state } = session(id);
    await begin('t');
    write('a.txt', `of ${id}\n`);
    await finish('t');
    await state();
  }
  const emptied = (ids: string[]) =>
    emptyTrash({ empty: () => ids } as unknown as SessionTable, data, { now: 2, trashMs: 1 });
  expect(await emptied(['s1'])).toBe(1);
  const [shadow = ''] = readdirSync(data.trees);
  const left = readdirSync(join(data.trees, shadow)).filter((name) => name.startsWith('index-'));
  expect(left.sort()).toEqual(['index-now-s2', 'index-s2']);
  expect(await emptied(['s2'])).toBe(1);
  expect(readdirSync(data.trees)).toEqual([]);
});

test('W4 keeps viewed, accepted and commented state; a mark applies to the content it was set on', async () => {
  const { write, session } = projectWithSessions({ 'a.txt': text() });
  const one = session('s1');
  await one.begin('t1');
  write('a.txt', text({ 2: 'two' }));
  await one.finish('t1');
  const [file] = (await one.state()).files;
  await one.call({ type: 'viewed', path: 'a.txt', after: file?.after ?? '', viewed: true });
  const comment = { path: 'a.txt', side: 'new', line: 2, quote: 'two', text: 'Why?' } as const;
  expect(await one.call({ type: 'comment.add', comment })).toMatchObject({ id: 'R1' });
  await one.call({ type: 'comment.sent', comments: ['R1'] });
  await one.call({ type: 'comment.answered', comment: 'R1', answer: 'Because.' });
  const { hunks } = await one.call({ type: 'diff', scope: SINCE_START, path: 'a.txt' });
  await one.call({ type: 'accept', path: 'a.txt', hunk: hunks[0].id, accepted: true });
  const other = session('s1');
  const kept = await other.state();
  expect(kept.files[0]?.viewed).toBe(true);
  expect(kept.comments[0]).toMatchObject({ id: 'R1', text: 'Why?', answer: 'Because.' });
  expect(kept.accepted).toEqual([{ path: 'a.txt', hunk: hunks[0].id }]);
  write('a.txt', text({ 2: 'two', 3: 'three' }));
  expect((await one.state()).files[0]?.viewed).toBe(false);
  await expect(one.call({ type: 'comment.remove', comment: 'R7' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await one.call({ type: 'comment.remove', comment: 'R1' });
  expect((await one.state()).comments).toEqual([]);
});

test('W4 comments are sent as one message, and answers are matched by their ids', () => {
  const comments = [
    { id: 'R1', path: 'src/a.ts', side: 'new', line: 3, quote: 'const a = 1;', text: 'Name it.' },
    { id: 'R12', path: 'b.ts', side: 'old', line: 9, quote: 'gone()', text: 'Was that needed?' },
  ] as const;
  const message = commentMessage(comments);
  expect(message).toContain('[R1] src/a.ts:3\n> const a = 1;\nName it.');
  expect(message).toContain('[R12] b.ts:9 (removed line)\n> gone()\nWas that needed?');
  const ids = new Set(['R1', 'R12']);
  const answer = 'Done.\n\n- **[R1]**: Named it `first`.\n  And its uses.\n\n[R12] No,\n\nit was dead code.';
  expect([...answersIn(answer, ids)]).toEqual([
    ['R1', 'Named it `first`.\n  And its uses.'],
    ['R12', 'No,\n\nit was dead code.'],
  ]);
  expect(answersIn('R1 is about [R12] and [R99]\n[R99] x', new Set(['R12'])).size).toBe(0);
});

test('T34 the timeline has turns with changed files and lines, changes by others, and commits', async () => {
  const { write, session, git, read } = projectWithSessions({ 'a.txt': text() }, true);
  const one = session('s1');
  await one.begin('t1');
  write('a.txt', text({ 2: 'two' }));
  write('new.txt', 'n\n');
  git('add', '-A');
  git('commit', '-qm', 'by the agent');
  await one.finish('t1');
  write('mine.txt', 'by the user\n');
  git('commit', '-q', '--allow-empty', '-m', 'after the turn');
  await one.begin('t2');
  await one.finish('t2');
  const { points, more } = await one.call({ type: 'timeline', limit: 10 });
  expect(more).toBe(0);
  expect(points).toMatchObject([
    {
      turn: 't1',
      isKept: true,
      changes: { files: 2, added: 2, removed: 1 },
      commits: [
        { commit: git('rev-parse', 'HEAD').trim(), subject: 'after the turn' },
        { commit: git('rev-parse', 'HEAD~1').trim(), subject: 'by the agent' },
      ],
    },
    { turn: 't2', changes: { files: 0 }, others: { files: 1, added: 1, removed: 0 } },
  ]);
  expect(points[1]).not.toHaveProperty('commits');
  expect(await one.call({ type: 'timeline', limit: 1 })).toMatchObject({ more: 1, points: [{ turn: 't2' }] });
  expect(read('mine.txt')).toBe('by the user\n');
});

test('T35 compares two points; a file or hunk of the difference is applied to the current files, and undone', async () => {
  const { write, session, read } = projectWithSessions({ 'a.txt': text(), 'b.txt': 'b\n' });
  const one = session('s1');
  await one.begin('t1');
  write('a.txt', text({ 2: 'two', 30: 'thirty' }));
  write('b.txt', 'changed\n');
  await one.finish('t1');
  await one.begin('t2');
  write('c.txt', 'c\n');
  await one.finish('t2');
  write('a.txt', text({ 2: 'two', 15: 'since', 30: 'thirty' }));
  const scope: ReviewScope = { since: 'between', turn: 't1', until: 't2' };
  expect((await one.state(scope)).files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
  const { hunks } = await one.call({ type: 'diff', scope, path: 'a.txt' });
  // The rest of the file, and lines that were changed since, stay.
  const { undo } = await one.call({ type: 'revert', scope, path: 'a.txt', hunk: hunks[0].id });
  expect(read('a.txt')).toBe(text({ 15: 'since', 30: 'thirty' }));
  await one.call({ type: 'undo', undo });
  expect(read('a.txt')).toBe(text({ 2: 'two', 15: 'since', 30: 'thirty' }));
  await one.call({ type: 'revert', scope, path: 'b.txt' });
  expect(read('b.txt')).toBe('b\n');
  write('b.txt', 'typed since\n');
  await expect(one.call({ type: 'revert', scope, path: 'b.txt' })).rejects.toMatchObject({
    code: 'REVIEW_CONFLICT',
  });
  expect(read('b.txt')).toBe('typed since\n');
  const gone: ReviewScope = { since: 'between', turn: 't1', until: 'no such turn' };
  expect((await one.state(gone)).missing).toBeDefined();
});
