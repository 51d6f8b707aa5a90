import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { git as gitArea } from '@tugdeck/protocol/areas/git';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GitAsk, GitPage, type GitWorld, gitWorld, repositoryAt } from './git-fixture.ts';

let world: GitWorld;
beforeAll(() => {
  world = gitWorld();
});
afterAll(() => world.dispose());

const isFull = process.env.TUGDECK_TEST_FULL === '1';
const MORE_NAMES = [
  '-rf',
  '--exec=touch pwned',
  ':!x',
  '*',
  'HEAD',
  '@{-1}',
  'a\tb"c\\d',
  '%x00%H',
  '$(touch pwned)',
  ' ',
  'tail ',
  'tail.',
  '.gitmodules ',
];
const open = (directory: string) => new GitPage(directory, world.path('worktrees'));
const codeOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'done',
    (error: { code?: string }) => error.code ?? String(error),
  );

/** A discard may replace the link with a folder at any moment. */
function put(to: string, make: () => void): void {
  for (;;) {
    rmSync(to, { recursive: true, force: true });
    try {
      make();
      return;
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

test('X33 blame reads nothing behind a link, no pipe and no endless file', async () => {
  const { directory, commit, write, git } = repositoryAt(world.path('blamed'));
  commit('first', { 'in/a.txt': 'mine\n', 'b.txt': 'mine\n', 'c.txt': 'mine\n', 'd.txt': 'mine\n' });
  const outside = world.path('blamed-outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'a.txt'), 'precious\n');
  rmSync(join(directory, 'in'), { recursive: true });
  symlinkSync(outside, join(directory, 'in'));
  rmSync(join(directory, 'b.txt'));
  symlinkSync(join(outside, 'a.txt'), join(directory, 'b.txt'));
  rmSync(join(directory, 'c.txt'));
  execFileSync('mkfifo', [join(directory, 'c.txt')]);
  truncateSync(join(directory, 'd.txt'), 8 * 1024 ** 3);
  const page = open(directory);
  for (const path of ['in/a.txt', 'b.txt', 'c.txt', 'd.txt', '../blamed-outside/a.txt', '.git/config']) {
    const answer = await page.call({ type: 'blame', path }).then(JSON.stringify, (error) => error.code);
    expect(answer, path).not.toContain('precious\\n');
    expect(answer, path).not.toMatch(/"text":"(precious|\[core)/);
    expect(answer, path).not.toContain('INTERNAL');
  }
  expect(await codeOf(page.call({ type: 'blame', path: 'in/a.txt' }))).toBe('PATH_OUTSIDE');
  expect(await codeOf(page.call({ type: 'blame', path: 'd.txt' }))).toBe('FILE_TOO_LARGE');
  write('new.txt', 'x\n');
  git('add', 'new.txt');
  const { commits, lines } = await page.call({ type: 'blame', path: 'new.txt' });
  expect(lines).toHaveLength(1);
  expect(commits[0].author).toBe('Not committed yet');
  page.close();
});

test('X33 names that look like options, patterns or revisions are plain names everywhere', async () => {
  const { directory, commit, write, git } = repositoryAt(world.path('options'));
  const names = ['--output=pwned', ':(top)*', 'a\nb', ...(isFull ? MORE_NAMES : [])];
  commit('first', Object.fromEntries([...names, 'kept.txt'].map((name) => [name, 'one\n'])));
  for (const name of names) write(name, 'two\n');
  write('kept.txt', 'changed\n');
  const page = open(directory);
  for (const path of names) {
    const { hunks } = await page.call({ type: 'diff', path, side: 'unstaged' });
    await page.call({ type: 'hunk.stage', path, hunk: hunks[0].id });
    expect((await page.files())[path]).toBe('M.');
    const staged = await page.call({ type: 'diff', path, side: 'staged' });
    await page.call({ type: 'hunk.unstage', path, hunk: staged.hunks[0].id });
    await page.call({ type: 'stage', paths: [path] });
    await page.call({ type: 'unstage', paths: [path] });
    expect((await page.call({ type: 'blame', path })).lines).toHaveLength(1);
    expect((await page.call({ type: 'log', skip: 0, limit: 5, path })).commits).toHaveLength(1);
    await page.call({ type: 'discard', paths: [path], confirmed: true });
    expect(readFileSync(join(directory, path), 'utf8')).toBe('one\n');
  }
  expect(await page.files()).toEqual({ 'kept.txt': '.M' });
  expect(existsSync(join(directory, 'pwned'))).toBe(false);
  expect(git('stash', 'list')).toBe('');
  page.close();
});

test('X33 branches named like options are listed and never passed as options', async () => {
  const { directory, commit, git } = repositoryAt(world.path('refs'));
  const id = commit('first', { 'a.txt': 'a\n' });
  for (const name of ['--output=pwned', ...(isFull ? ['-d', '--exec=x', '--detach'] : [])]) {
    writeFileSync(join(directory, '.git/refs/heads', name), `${id}\n`);
  }
  const page = open(directory);
  const { branches } = await page.call({ type: 'branches' });
  for (const { name } of branches as { name: string }[]) {
    if (name === 'main') continue;
    for (const request of [
      { type: 'branch.switch', name },
      { type: 'branch.switch', name, remote: true },
      { type: 'branch.delete', name },
      { type: 'branch.create', name, switch: true },
      { type: 'worktree.add', branch: name },
    ] as GitAsk[]) {
      expect(await codeOf(page.call(request)), `${request.type} ${name}`).toBe('INVALID_MESSAGE');
    }
    await page.call({ type: 'branch.create', name: `from${name.replace(/\W/g, '')}`, from: name });
  }
  for (const from of ['--all', '-1', '--output=pwned', '--exec=touch pwned', 'HEAD:a.txt', ':/first']) {
    await codeOf(page.call({ type: 'worktree.add', branch: `w${from.replace(/\W/g, '')}`, from }));
  }
  for (const name of ['../x', 'a..b', 'a~1', '/x', 'x/', 'x.lock', '@', 'a b', 'a\\b', 'refs/../x', '.x']) {
    expect(await codeOf(page.call({ type: 'branch.create', name })), name).toBe('INVALID_MESSAGE');
  }
  expect(existsSync(join(directory, 'pwned'))).toBe(false);
  expect(git('rev-parse', '--abbrev-ref', 'HEAD').trim()).toBe('main');
  page.close();
});

test('X33 a name with a NUL is invalid', () => {
  const bad = 'a\0.git/config';
  for (const { type, ...input } of [
    { type: 'diff', path: bad, side: 'staged' },
    { type: 'stage', paths: [bad] },
    { type: 'unstage', paths: ['ok', bad] },
    { type: 'discard', paths: [bad], confirmed: true },
    { type: 'blame', path: bad },
    { type: 'log', skip: 0, limit: 1, path: bad },
    { type: 'resolve', path: bad, with: 'ours' },
    { type: 'branch.create', name: bad },
    { type: 'branch.create', name: 'x', from: bad },
    { type: 'worktree.add', branch: bad },
    { type: 'worktree.remove', path: bad },
    { type: 'stash.push', message: bad },
  ] as const) {
    expect(gitArea.calls[type].input.safeParse(input).success, type).toBe(false);
  }
});

test("X33 paths that leave the repository or name git's own files change nothing", async () => {
  const { directory, commit, write, git } = repositoryAt(world.path('leaving'));
  commit('first', { 'a.txt': 'a\n', 'dir/b.txt': 'b\n' });
  const outside = world.path('leaving-outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret'), 'precious\n');
  symlinkSync(outside, join(directory, 'way'));
  write('a.txt', 'changed\n');
  const config = readFileSync(join(directory, '.git/config'), 'utf8');
  const page = open(directory);
  for (const path of [
    '../leaving-outside/secret',
    join(outside, 'secret'),
    'way/secret',
    'dir/../../leaving-outside/secret',
    '.git/config',
    '.GIT/config',
    '.git',
    './.git/hooks/post-checkout',
    'dir/../.git/config',
    '~/.ssh/id_rsa',
    '/proc/self/environ',
    '/dev/zero',
    'C:\\Windows',
    '..\\..\\x',
  ]) {
    for (const request of [
      { type: 'stage', paths: [path] },
      { type: 'unstage', paths: [path] },
      { type: 'discard', paths: [path], confirmed: true },
      { type: 'diff', path, side: 'unstaged' },
      { type: 'diff', path, side: 'staged' },
      { type: 'blame', path },
      { type: 'resolve', path, with: 'theirs' },
      { type: 'hunk.discard', path, hunk: `${'0'.repeat(16)}-1`, confirmed: true },
      { type: 'worktree.remove', path, confirmed: true },
    ] as GitAsk[]) {
      const code = await codeOf(page.call(request));
      expect(code, `${request.type} ${path}`).toMatch(/^(GIT_\w+|PATH_\w+|FILE_\w+|NOT_A_\w+)$/);
    }
  }
  expect(git('diff', '--cached', '--name-only')).toBe('');
  expect(readFileSync(join(directory, '.git/config'), 'utf8')).toBe(config);
  expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('precious\n');
  page.close();
});

test('W40 an index that names hooks or outside paths is shown, but never written to disk', async () => {
  const { directory, commit, git, write } = repositoryAt(world.path('entries'));
  commit('first', { 'a.txt': 'a\n' });
  write('evil', '#!/bin/sh\ntouch pwned\n');
  const blob = git('hash-object', '-w', 'evil').trim();
  rmSync(join(directory, 'evil'));
  // By hand: git refuses to create such a tree, a hostile archive does not.
  const forge = (shown: string, path: string) => {
    rmSync(join(directory, '.git/index'));
    git('read-tree', 'HEAD');
    git('update-index', '--add', '--cacheinfo', `100755,${blob},${shown}`);
    const bytes = readFileSync(join(directory, '.git/index'));
    bytes.write(path, bytes.indexOf(shown));
    const body = bytes.subarray(0, bytes.length - 20);
    const sum = createHash('sha1').update(body).digest();
    writeFileSync(join(directory, '.git/index'), Buffer.concat([body, sum]));
  };
  writeFileSync(world.path('precious'), 'precious\n');
  for (const [shown, path] of [
    ['xxxx/hooks/post-checkout', '.git/hooks/post-checkout'],
    ['xxxx/hooks/post-checkout', '.GIT/hooks/post-checkout'],
    ['xx/precious', '../precious'],
    ['xx/written', '../written'],
    ['a/xx/xx/written', 'a/../../written'],
  ] as const) {
    forge(shown, path);
    const page = open(directory);
    await codeOf(page.call({ type: 'diff', path, side: 'unstaged' }));
    await codeOf(page.call({ type: 'blame', path }));
    for (const request of [
      { type: 'discard', paths: [path], confirmed: true },
      { type: 'discard', paths: ['a.txt'], confirmed: true },
      { type: 'stash.push' },
      { type: 'stash.push', untracked: true },
      { type: 'branch.create', name: 'other', switch: true },
      { type: 'branch.switch', name: 'main' },
    ] as GitAsk[]) {
      expect(await codeOf(page.call(request)), `${request.type} ${path}`).toMatch(
        /^(GIT_UNSAFE|PATH_OUTSIDE|FILE_PROTECTED)$/,
      );
    }
    page.close();
    expect(existsSync(join(directory, '.git/hooks/post-checkout'))).toBe(false);
    expect(existsSync(world.path('written'))).toBe(false);
    expect(readFileSync(world.path('precious'), 'utf8')).toBe('precious\n');
  }
});

test('X33 while a folder is repeatedly swapped for a link, git acts on nothing outside', async () => {
  const { directory, commit, write } = repositoryAt(world.path('swapped'));
  commit('first', { 'in/a.txt': 'mine\n' });
  const outside = world.path('swapped-outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'a.txt'), 'precious\n');
  writeFileSync(join(outside, 'new.txt'), 'precious\n');
  const page = open(directory);
  let isOver = false;
  const swaps = (async () => {
    while (!isOver) {
      renameSync(join(directory, 'in'), join(directory, 'aside'));
      put(join(directory, 'in'), () => symlinkSync(outside, join(directory, 'in')));
      await new Promise((resolve) => setImmediate(resolve));
      put(join(directory, 'in'), () => renameSync(join(directory, 'aside'), join(directory, 'in')));
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  for (let round = 0; round < (isFull ? 40 : 6); round++) {
    write('aside-of/x', `${round}`);
    for (const request of [
      { type: 'diff', path: 'in/new.txt', side: 'unstaged' },
      { type: 'diff', path: 'in/a.txt', side: 'unstaged' },
      { type: 'blame', path: 'in/a.txt' },
      { type: 'discard', paths: ['in/new.txt'], confirmed: true },
      { type: 'discard', paths: ['in/a.txt'], confirmed: true },
    ] as GitAsk[]) {
      const answer = await page.call(request).then(JSON.stringify, () => '');
      expect(answer ?? '').not.toContain('precious');
    }
  }
  isOver = true;
  await swaps;
  expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('precious\n');
  expect(readFileSync(join(outside, 'new.txt'), 'utf8')).toBe('precious\n');
  page.close();
});
