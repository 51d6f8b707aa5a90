import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileChange, GitFile } from '@tugdeck/protocol/git/git-messages';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { gitMarks } from '../src/git/git-marks.ts';
import { GitPage, type GitWorld, gitWorld, repositoryAt, type TestRepository } from './git-fixture.ts';

let world: GitWorld;
let pages: GitPage[] = [];
let count = 0;

beforeAll(() => {
  world = gitWorld();
});
afterEach(() => {
  for (const page of pages) page.close();
  pages = [];
});
afterAll(() => world.dispose());

function open(directory: string): GitPage {
  const page = new GitPage(directory, world.path('worktrees'));
  pages.push(page);
  return page;
}

function fresh(): TestRepository {
  count += 1;
  return repositoryAt(world.path(`r${count}`));
}

const LINES = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
const text = (changes: Readonly<Record<number, string>> = {}) =>
  `${LINES.map((line, index) => changes[index + 1] ?? line).join('\n')}\n`;
const changed = (change: FileChange) =>
  change.hunks.flatMap(({ lines }) => lines.filter((line) => !line.startsWith(' ')));

describe('status', () => {
  test('W3 distinguishes staged, unstaged, untracked, renamed and deleted files, whatever their names', async () => {
    const { directory, commit, git, write } = fresh();
    const odd = ['ü mlaut und Leer.txt', '-rf', 'new\nline', ':(top)x', '"quoted"', 'a*b', '日本.md'];
    commit('first', { 'a.txt': text(), 'gone.txt': 'x\n', 'old name.txt': text() });
    write('a.txt', text({ 3: 'staged' }));
    git('add', 'a.txt');
    write('a.txt', text({ 3: 'staged', 30: 'not staged' }));
    git('mv', 'old name.txt', 'new name.txt');
    rmSync(join(directory, 'gone.txt'));
    for (const name of odd) write(name, 'odd\n');
    const page = open(directory);
    expect(await page.files()).toEqual({
      'a.txt': 'MM',
      'gone.txt': '.D',
      'new name.txt': 'R.',
      ...Object.fromEntries(odd.map((name) => [name, '.?'])),
    });
    await page.call({ type: 'stage', paths: odd });
    expect(Object.values(await page.files()).filter((letters) => letters === 'A.')).toHaveLength(odd.length);
    await page.call({ type: 'unstage', paths: [...odd, 'new name.txt'] });
    const files = await page.files();
    expect(files['-rf']).toBe('.?');
    expect(files['old name.txt']).toBe('.D');
    await page.call({ type: 'discard', paths: [...odd, 'gone.txt'], confirmed: true });
    expect(await page.files()).toEqual({ 'a.txt': 'MM', 'old name.txt': '.D', 'new name.txt': '.?' });
  });

  test('W3 shows branch, upstream, ahead and behind, a detached head, and a repository without commits', async () => {
    const origin = fresh();
    const page = open(origin.directory);
    const empty = await page.status();
    expect(empty).toMatchObject({ branch: 'main', files: [], stashes: 0 });
    expect(empty.commit).toBeUndefined();
    origin.write('a.txt', 'a\n');
    await page.call({ type: 'stage', paths: ['a.txt'] });
    await page.call({ type: 'unstage', paths: ['a.txt'] });
    expect(await page.files()).toEqual({ 'a.txt': '.?' });
    expect((await page.call({ type: 'log', skip: 0, limit: 10 })).commits).toEqual([]);
    const first = origin.commit('first');
    origin.commit('second', { 'b.txt': 'b\n' });
    const clone = repositoryAt(world.path(`clone${count}`), false);
    clone.git('clone', '-q', origin.directory, '.');
    origin.commit('third', { 'c.txt': 'c\n' });
    clone.commit('own', { 'd.txt': 'd\n' });
    clone.commit('own 2', { 'd.txt': 'dd\n' });
    clone.git('fetch', '-q');
    const other = open(clone.directory);
    expect((await other.status()).upstream).toEqual({
      name: 'origin/main',
      ahead: 2,
      behind: 1,
      gone: false,
    });
    clone.git('checkout', '-q', first);
    const detached = await other.status();
    expect(detached.branch).toBeUndefined();
    expect(detached.commit).toBe(first);
  });

  test('W3 recognizes a directory without a repository, creates one, and leaves a bare one alone', async () => {
    const directory = world.path('plain');
    mkdirSync(directory);
    const page = open(directory);
    expect(await page.call({ type: 'status' })).toEqual({ kind: 'none' });
    await expect(page.call({ type: 'branches' })).rejects.toMatchObject({ code: 'GIT_NO_REPOSITORY' });
    expect(await page.call({ type: 'init' })).toMatchObject({ kind: 'repository', branch: 'main' });
    await expect(page.call({ type: 'init' })).rejects.toMatchObject({ code: 'GIT_FAILED' });
    const bare = repositoryAt(world.path('bare'), false);
    bare.git('init', '-q', '--bare');
    expect(await open(bare.directory).call({ type: 'status' })).toEqual({ kind: 'bare' });
  });

  test('W3 shows the repository of a project in a subfolder, and discards nothing outside the project', async () => {
    const { directory, commit, write } = fresh();
    commit('first', { 'top.txt': 'a\n', 'packages/one/in.txt': 'a\n' });
    write('top.txt', 'b\n');
    write('packages/one/in.txt', 'b\n');
    write('packages/one/new.txt', 'b\n');
    const page = open(join(directory, 'packages/one'));
    const status = await page.status();
    expect(status.prefix).toBe('packages/one');
    expect(gitMarks(status)).toEqual(
      new Map([
        ['in.txt', 'modified'],
        ['new.txt', 'untracked'],
      ]),
    );
    const refused = page.call({ type: 'discard', paths: ['top.txt'], confirmed: true });
    await expect(refused).rejects.toMatchObject({ code: 'GIT_UNSAFE' });
    await page.call({ type: 'discard', paths: ['packages/one/in.txt'], confirmed: true });
    expect(await page.files()).toEqual({ 'top.txt': '.M', 'packages/one/new.txt': '.?' });
  });

  test('W3 pushes the status when files, the index or a branch change, and only then', async () => {
    const { directory, commit, write, git } = fresh();
    commit('first', { 'a.txt': 'a\n' });
    const page = open(directory);
    await page.call({ type: 'status' });
    write('b.txt', 'b\n');
    await page.until((status) => status.kind === 'repository' && status.files[0]?.work === '?');
    git('add', 'b.txt');
    await page.until((status) => status.kind === 'repository' && status.files[0]?.index === 'A');
    git('checkout', '-q', '-b', 'other');
    await page.until((status) => status.kind === 'repository' && status.branch === 'other');
    const statuses = page.pushes.map((status) => JSON.stringify(status));
    expect(new Set(statuses).size).toBe(statuses.length);
  });
});

describe('hunks', () => {
  const twoHunks = { 3: 'three', 30: 'thirty' };

  test('W30 stages, unstages and discards one hunk of several', async () => {
    const { directory, commit, write, git } = fresh();
    commit('first', { 'dir with space/ä.txt': text() });
    const path = 'dir with space/ä.txt';
    write(path, text(twoHunks));
    const page = open(directory);
    const all: FileChange = await page.call({ type: 'diff', path, side: 'unstaged' });
    expect(all.hunks).toHaveLength(2);
    const [first, second] = all.hunks;
    await page.call({ type: 'hunk.stage', path, hunk: second?.id ?? '' });
    expect(git('show', `:${path}`)).toBe(text({ 30: 'thirty' }));
    const staged: FileChange = await page.call({ type: 'diff', path, side: 'staged' });
    expect(changed(staged)).toEqual(['-line 30', '+thirty']);
    await page.call({ type: 'hunk.unstage', path, hunk: staged.hunks[0]?.id ?? '' });
    expect(git('show', `:${path}`)).toBe(text());
    const unconfirmed = page.call({ type: 'hunk.discard', path, hunk: first?.id ?? '' });
    await expect(unconfirmed).rejects.toMatchObject({ code: 'NOT_CONFIRMED' });
    await page.call({ type: 'hunk.discard', path, hunk: first?.id ?? '', confirmed: true });
    expect(readFileSync(join(directory, path), 'utf8')).toBe(text({ 30: 'thirty' }));
  });

  test('W30 refuses a hunk that changed since it was shown', async () => {
    const { directory, commit, write } = fresh();
    commit('first', { 'a.txt': text() });
    write('a.txt', text(twoHunks));
    const page = open(directory);
    const shown: FileChange = await page.call({ type: 'diff', path: 'a.txt', side: 'unstaged' });
    write('a.txt', text({ 3: 'three again', 30: 'thirty' }));
    const hunk = shown.hunks[0]?.id ?? '';
    await expect(page.call({ type: 'hunk.stage', path: 'a.txt', hunk })).rejects.toMatchObject({
      code: 'GIT_CHANGED',
    });
    expect(await page.files()).toEqual({ 'a.txt': '.M' });
    // The other hunk is unchanged, though lines above it changed.
    await page.call({ type: 'hunk.stage', path: 'a.txt', hunk: shown.hunks[1]?.id ?? '' });
    expect(await page.files()).toEqual({ 'a.txt': 'MM' });
  });

  test('W30 keeps every byte: other encodings, carriage returns, no newline at the end', async () => {
    const { directory, git, write } = fresh();
    const before = Buffer.concat([
      Buffer.from([0xe4, 0xf6, 0xfc, 0x0d, 0x0a]),
      Buffer.from(text()),
      Buffer.from('end'),
    ]);
    write('bytes.txt', before);
    git('-c', 'core.autocrlf=false', 'add', '-A');
    git('commit', '-q', '-m', 'first');
    const after = Buffer.concat([
      Buffer.from([0xe4, 0xf6, 0xff, 0x0d, 0x0a]),
      Buffer.from(text({ 20: 'twenty\r' })),
      Buffer.from('the end'),
    ]);
    write('bytes.txt', after);
    const page = open(directory);
    for (let round = 0; round < 3; round++) {
      const shown: FileChange = await page.call({ type: 'diff', path: 'bytes.txt', side: 'unstaged' });
      await page.call({ type: 'hunk.stage', path: 'bytes.txt', hunk: shown.hunks[0]?.id ?? '' });
    }
    expect(await page.files()).toEqual({ 'bytes.txt': 'M.' });
    expect(git('hash-object', 'bytes.txt')).toBe(git('rev-parse', ':bytes.txt'));
  });

  test('W3 shows untracked files, links, binaries, deleted and renamed files', async () => {
    const { directory, commit, write, git } = fresh();
    commit('first', { 'old.txt': text(), 'gone.txt': 'a\nb\n' });
    git('mv', 'old.txt', 'moved.txt');
    write('moved.txt', text({ 2: 'two' }));
    git('add', 'moved.txt');
    rmSync(join(directory, 'gone.txt'));
    write('new.txt', 'one\ntwo');
    write('binary.bin', new Uint8Array([1, 0, 2]));
    symlinkSync('/etc/passwd', join(directory, 'link'));
    const page = open(directory);
    const diff = (path: string, side: 'staged' | 'unstaged' = 'unstaged') =>
      page.call({ type: 'diff', path, side });
    expect(await diff('moved.txt', 'staged')).toMatchObject({ state: 'renamed', oldPath: 'old.txt' });
    expect(changed(await diff('moved.txt', 'staged'))).toEqual(['-line 2', '+two']);
    expect(changed(await diff('gone.txt'))).toEqual(['-a', '-b']);
    expect(changed(await diff('new.txt'))).toEqual(['+one', '+two', '\\ No newline at end of file']);
    expect(await diff('binary.bin')).toMatchObject({ binary: true, hunks: [] });
    // The link's target path, never its content.
    expect(changed(await diff('link'))[0]).toBe('+/etc/passwd');
    const staged: FileChange = await diff('moved.txt', 'staged');
    await page.call({ type: 'hunk.unstage', path: 'moved.txt', hunk: staged.hunks[0]?.id ?? '' });
    expect(git('show', ':moved.txt')).toBe(text());
  });
});

describe('conflicts', () => {
  function conflicted(): TestRepository {
    const repository = fresh();
    const { commit, git, directory } = repository;
    commit('base', { 'both.txt': text(), 'theirs.txt': text(), 'deleted.txt': text(), 'mine.txt': text() });
    git('checkout', '-q', '-b', 'side');
    rmSync(join(directory, 'deleted.txt'));
    commit('side', {
      'both.txt': text({ 5: 'side' }),
      'theirs.txt': text({ 5: 'side' }),
      'mine.txt': text({ 5: 'side' }),
    });
    git('checkout', '-q', 'main');
    commit('main', {
      'both.txt': text({ 5: 'main' }),
      'theirs.txt': text({ 5: 'main' }),
      'deleted.txt': text({ 5: 'main' }),
      'mine.txt': text({ 5: 'main' }),
    });
    try {
      git('merge', 'side');
    } catch {
      // It ends with conflicts, as intended.
    }
    return repository;
  }

  test('W34 resolves with ours, theirs, or the file as it is, and commits the merge', async () => {
    const { directory, write, git } = conflicted();
    const page = open(directory);
    expect(await page.status()).toMatchObject({ operation: 'merge' });
    expect(await page.files()).toEqual({
      'both.txt': 'UU',
      'theirs.txt': 'UU',
      'deleted.txt': 'UD',
      'mine.txt': 'UU',
    });
    const shown: FileChange = await page.call({ type: 'diff', path: 'both.txt', side: 'unstaged' });
    expect(changed(shown)).toContain('+<<<<<<< HEAD');
    await page.call({ type: 'resolve', path: 'both.txt', with: 'ours' });
    await page.call({ type: 'resolve', path: 'theirs.txt', with: 'theirs' });
    await page.call({ type: 'resolve', path: 'deleted.txt', with: 'theirs' });
    write('mine.txt', text({ 5: 'both' }));
    await page.call({ type: 'resolve', path: 'mine.txt', with: 'mine' });
    expect(readFileSync(join(directory, 'both.txt'), 'utf8')).toBe(text({ 5: 'main' }));
    expect(readFileSync(join(directory, 'theirs.txt'), 'utf8')).toBe(text({ 5: 'side' }));
    expect(existsSync(join(directory, 'deleted.txt'))).toBe(false);
    await page.call({ type: 'commit', message: 'merged' });
    expect(git('rev-list', '--parents', '-1', 'HEAD').trim().split(' ')).toHaveLength(3);
    expect(await page.status()).toMatchObject({ files: [] });
  });

  test('W34 aborts a merge only when confirmed', async () => {
    const { directory } = conflicted();
    const page = open(directory);
    await expect(page.call({ type: 'abort' })).rejects.toMatchObject({ code: 'NOT_CONFIRMED' });
    await page.call({ type: 'abort', confirmed: true });
    expect((await page.status()).operation).toBeUndefined();
    expect(await page.files()).toEqual({});
  });
});

describe('history', () => {
  test('W31 commits and amends with the user’s own hooks, and reports what a hook refused', async () => {
    const { directory, write, git, commit } = fresh();
    commit('first', { 'a.txt': 'a\n' });
    write('.git/hooks/pre-commit', '#!/bin/sh\nenv | grep ^GIT_ > .git/hook-ran\n');
    chmodSync(join(directory, '.git/hooks/pre-commit'), 0o755);
    const page = open(directory);
    write('a.txt', 'b\n');
    await expect(page.call({ type: 'commit', message: '  \n' })).rejects.toMatchObject({
      code: 'INVALID_MESSAGE',
    });
    await page.call({ type: 'stage', paths: ['a.txt'] });
    expect(existsSync(join(directory, '.git/hook-ran'))).toBe(false);
    const { commit: made } = await page.call({
      type: 'commit',
      message: '-m odd\n\n# not a comment\nbody ü',
    });
    expect(existsSync(join(directory, '.git/hook-ran'))).toBe(true);
    // Hooks run as in a terminal: our own protections are not in their way.
    const inherited = readFileSync(join(directory, '.git/hook-ran'), 'utf8');
    expect(inherited).not.toMatch(/LITERAL_PATHSPECS|ALLOW_PROTOCOL|OPTIONAL_LOCKS|hooksPath/);
    expect(git('log', '-1', '--format=%B')).toContain('# not a comment');
    await page.call({ type: 'commit', message: 'amended', amend: true });
    const { commits } = await page.call({ type: 'log', skip: 0, limit: 10 });
    expect(commits.map(({ subject }: { subject: string }) => subject)).toEqual(['amended', 'first']);
    expect(commits[0].commit).not.toBe(made);
    write('.git/hooks/pre-commit', '#!/bin/sh\necho "no spaces please" >&2\nexit 1\n');
    write('a.txt', 'c\n');
    await page.call({ type: 'stage', paths: ['a.txt'] });
    await expect(page.call({ type: 'commit', message: 'x' })).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: 'no spaces please',
    });
  });

  // Other systems have no such names.
  test.runIf(process.platform === 'linux')(
    'W30 a name that is not UTF-8 does not keep others from being staged',
    async () => {
      const { directory, git, write } = fresh();
      write('a.txt', 'a\n');
      writeFileSync(Buffer.concat([Buffer.from(`${directory}/bad-`), Buffer.from([0xff])]), 'x\n');
      const page = open(directory);
      await page.call({ type: 'status' });
      const odd = page.call({ type: 'stage', paths: ['bad-\ufffd', 'a.txt'] });
      await expect(odd).rejects.toMatchObject({ message: expect.stringContaining('the others were staged') });
      expect(git('diff', '--cached', '--name-only').trim()).toBe('a.txt');
    },
  );

  test('W31 explains how to set user.name when it is missing', async () => {
    const { directory, git, write } = fresh();
    // A name that git refuses: without any, git guesses one on some machines.
    git('config', 'user.name', '');
    write('a.txt', 'a\n');
    git('add', '.');
    const page = open(directory);
    await expect(page.call({ type: 'commit', message: 'x' })).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining('no user name or email'),
      hint: expect.stringContaining('git config --global user.name'),
    });
  });

  test("W33 pages through the log with parents and refs, and shows a commit's changes", async () => {
    const { directory, commit, git } = fresh();
    commit('root', { 'a.txt': text() });
    git('checkout', '-q', '-b', 'side');
    commit('on the side', { 'side.txt': 'x\n' });
    git('checkout', '-q', 'main');
    commit('on main', { 'a.txt': text({ 7: 'seven' }) });
    git('merge', '-q', '--no-ff', '-m', 'both', 'side');
    const page = open(directory);
    const one = await page.call({ type: 'log', skip: 0, limit: 3 });
    expect(one).toMatchObject({ more: true });
    expect(one.commits[0]).toMatchObject({ subject: 'both', refs: ['HEAD -> main'], author: 'Ada Example' });
    expect(one.commits[0].parents).toHaveLength(2);
    const two = await page.call({ type: 'log', skip: 3, limit: 3 });
    expect(two).toMatchObject({ more: false });
    const [root] = two.commits;
    const { files } = await page.call({ type: 'commit.files', commit: root.commit });
    expect(files).toEqual([{ path: 'a.txt', state: 'added', added: 40, removed: 0 }]);
    const merge = await page.call({ type: 'commit.files', commit: one.commits[0].commit });
    expect(merge.files).toEqual([{ path: 'side.txt', state: 'added', added: 1, removed: 0 }]);
    const diff = await page.call({ type: 'commit.diff', commit: one.commits[0].commit, path: 'side.txt' });
    expect(changed(diff)).toEqual(['+x']);
  });

  test('W32 creates, switches and deletes branches, but none with unmerged commits', async () => {
    const { directory, commit, git } = fresh();
    commit('first', { 'a.txt': 'a\n' });
    const page = open(directory);
    for (const name of ['-d', 'a..b', 'x y', '@{u}', 'a.lock']) {
      const made = page.call({ type: 'branch.create', name, switch: true });
      await expect(made).rejects.toMatchObject({ code: 'INVALID_MESSAGE' });
    }
    await page.call({ type: 'branch.create', name: 'féature/ü', switch: true });
    expect((await page.status()).branch).toBe('féature/ü');
    commit('work', { 'b.txt': 'b\n' });
    await page.call({ type: 'branch.switch', name: 'main' });
    await page.call({ type: 'branch.create', name: 'same' });
    const { branches } = await page.call({ type: 'branches' });
    expect(branches.map(({ name }: { name: string }) => name).sort()).toEqual(['féature/ü', 'main', 'same']);
    await expect(page.call({ type: 'branch.delete', name: 'féature/ü' })).rejects.toMatchObject({
      code: 'GIT_UNMERGED',
    });
    await expect(page.call({ type: 'branch.delete', name: 'main' })).rejects.toMatchObject({
      code: 'GIT_FAILED',
    });
    await page.call({ type: 'branch.delete', name: 'same' });
    expect(git('branch', '--list', 'same')).toBe('');
    git('branch', '-q', 'a-tag-like');
    await page.call({ type: 'branch.switch', name: 'a-tag-like' });
    expect((await page.status()).branch).toBe('a-tag-like');
  });

  test('W33 W35 W36 stashes, restores and drops; blames lines; lists, creates and removes worktrees', async () => {
    const { directory, commit, write } = fresh();
    commit('first', { 'a.txt': 'one\ntwo\n' });
    write('a.txt', 'one\nthree\n');
    write('new.txt', 'n\n');
    const page = open(directory);
    await page.call({ type: 'stash.push', message: '-m odd', untracked: true });
    expect(await page.files()).toEqual({});
    const { stashes } = await page.call({ type: 'stashes' });
    expect(stashes[0].text).toContain('-m odd');
    const heldBy = async (held: string) => (await page.call({ type: 'commit.files', commit: held })).files;
    expect(await heldBy(stashes[0].commit)).toMatchObject([{ path: 'a.txt', added: 1, removed: 1 }]);
    expect(await heldBy(stashes[0].untracked)).toMatchObject([{ path: 'new.txt', added: 1 }]);
    expect((await page.status()).stashes).toBe(1);
    await page.call({ type: 'stash.apply', commit: stashes[0].commit });
    expect(await page.files()).toEqual({ 'a.txt': '.M', 'new.txt': '.?' });
    const drop = { type: 'stash.drop', commit: stashes[0].commit } as const;
    await expect(page.call(drop)).rejects.toMatchObject({ code: 'NOT_CONFIRMED' });
    await page.call({ ...drop, confirmed: true });
    expect((await page.call({ type: 'stashes' })).stashes).toEqual([]);
    const blame = await page.call({ type: 'blame', path: 'a.txt' });
    expect(blame.lines.map(({ text: line }: { text: string }) => line)).toEqual(['one', 'three']);
    expect(blame.commits[blame.lines[0].commit]).toMatchObject({ author: 'Ada Example', subject: 'first' });

    const { path } = await page.call({
      type: 'worktree.add',
      branch: 'feature/für-session',
    });
    expect(path.startsWith(world.path('worktrees'))).toBe(true);
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    const inside = open(path);
    expect((await inside.status()).branch).toBe('feature/für-session');
    expect((await page.call({ type: 'worktrees' })).worktrees).toHaveLength(2);
    repositoryAt(path, false).write('dirty.txt', 'x');
    expect(await inside.files()).toEqual({ 'dirty.txt': '.?' });
    await expect(page.call({ type: 'worktree.remove', path })).rejects.toMatchObject({ code: 'GIT_FAILED' });
    await expect(page.call({ type: 'worktree.remove', path: directory })).rejects.toMatchObject({
      code: 'GIT_FAILED',
    });
    await page.call({ type: 'worktree.remove', path, confirmed: true });
    expect(existsSync(path)).toBe(false);
  });

  test('W3 shows a moved submodule without looking into it', async () => {
    const inner = fresh();
    inner.commit('inner', { 'i.txt': 'i\n' });
    const outer = fresh();
    outer.commit('outer', { 'o.txt': 'o\n' });
    outer.git('submodule', '--quiet', 'add', inner.directory, 'sub mod');
    outer.commit('with submodule');
    const sub = repositoryAt(join(outer.directory, 'sub mod'), false);
    sub.write('i.txt', 'dirty\n');
    const page = open(outer.directory);
    expect(await page.files()).toEqual({});
    sub.commit('moved');
    const status = await page.status();
    expect(status.files).toEqual<GitFile[]>([{ path: 'sub mod', index: '.', work: 'M', submodule: true }]);
    const shown = await page.call({ type: 'diff', path: 'sub mod', side: 'unstaged' });
    expect(shown).toMatchObject({ submodule: true });
    expect(changed(shown)[0]).toMatch(/^-Subproject commit [0-9a-f]{40}$/);
    await page.call({ type: 'stage', paths: ['sub mod'] });
    expect(await page.files()).toEqual({ 'sub mod': 'M.' });
    const within = open(join(outer.directory, 'sub mod'));
    expect(await within.status()).toMatchObject({ files: [], branch: 'main' });
  });
});
