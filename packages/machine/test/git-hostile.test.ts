import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GitPage, type GitWorld, gitWorld, repositoryAt, type TestRepository } from './git-fixture.ts';

let world: GitWorld;
beforeAll(() => {
  world = gitWorld();
});
afterAll(() => world.dispose());

/** Every known way in which reading a repository could run a program that it names. */
function hostile(name: string): { repository: TestRepository; ran: () => string[] } {
  const repository = repositoryAt(world.path(name));
  const { directory, git, write, commit } = repository;
  const traces = world.path(`${name}-ran`);
  mkdirSync(traces);
  const trap = (what: string) => {
    const file = world.path(`${name}-trap-${what}.sh`);
    writeFileSync(file, `#!/bin/sh\necho "$@" > '${traces}/${what}'\ncat\n`);
    chmodSync(file, 0o755);
    return file;
  };
  commit('first', { 'a.txt': 'a\n', 'b.evil': 'b\n', 'c.bin': 'c\n', '.gitattributes': 'plain\n' });
  write(
    '.gitattributes',
    '*.txt filter=evil diff=evil merge=evil\n*.evil filter=a=b diff=driver\n*.bin filter=proc\n',
  );
  commit('attributes');
  for (const [key, value] of [
    ['core.fsmonitor', trap('fsmonitor')],
    ['core.hooksPath', world.path(`${name}-hooks`)],
    ['core.pager', trap('pager')],
    ['core.editor', trap('editor')],
    ['core.sshCommand', trap('ssh')],
    ['core.askPass', trap('askpass')],
    ['diff.external', trap('external')],
    ['diff.evil.textconv', trap('textconv')],
    ['diff.driver.command', trap('driver')],
    ['filter.evil.clean', trap('clean')],
    ['filter.evil.smudge', trap('smudge')],
    ['filter.evil.required', 'true'],
    ['filter.proc.process', trap('process')],
    ['merge.evil.driver', trap('merge')],
    ['log.showSignature', 'true'],
    ['gpg.program', trap('gpg')],
    ['alias.status', `!${trap('alias')}`],
    ['alias.config', `!${trap('alias')}`],
    ['protocol.ext.allow', 'always'],
    ['remote.evil.url', `ext::${trap('ext')}`],
    ['remote.evil.promisor', 'true'],
    ['remote.evil.partialclonefilter', 'blob:none'],
    ['extensions.partialClone', 'evil'],
    ['core.repositoryFormatVersion', '1'],
    ['core.worktree', world.home],
  ] as const) {
    git('config', key, value);
  }
  // A name with `=` cannot be overridden on a command line.
  writeFileSync(join(directory, '.git/more'), `[filter "a=b"]\n\tclean = ${trap('equals')}\n`);
  git('config', 'include.path', 'more');
  const hooks = world.path(`${name}-hooks`);
  mkdirSync(hooks);
  for (const hook of [
    'post-index-change',
    'post-checkout',
    'reference-transaction',
    'pre-commit',
    'post-commit',
  ]) {
    writeFileSync(join(hooks, hook), `#!/bin/sh\ntouch '${traces}/hook-${hook}'\n`);
    chmodSync(join(hooks, hook), 0o755);
  }
  mkdirSync(join(directory, '.git/hooks'), { recursive: true });
  writeFileSync(join(directory, 'a.txt'), 'changed\n');
  writeFileSync(join(directory, 'b.evil'), 'changed\n');
  writeFileSync(join(directory, 'c.bin'), 'changed\n');
  return { repository, ran: () => readdirSync(traces) };
}

test('W37 reading a hostile repository runs none of its programs', async () => {
  const { repository, ran } = hostile('evil');
  const page = new GitPage(repository.directory, world.path('worktrees'));
  const status = await page.status();
  expect(status.kind).toBe('repository');
  const paths = status.files.map(({ path }) => path);
  expect(paths).toEqual(['a.txt', 'b.evil', 'c.bin']);
  for (const path of paths) {
    const change = await page.call({ type: 'diff', path, side: 'unstaged' });
    expect(change.hunks).toHaveLength(1);
  }
  const { commits } = await page.call({ type: 'log', skip: 0, limit: 10, all: true });
  for (const { commit } of commits) {
    const { files } = await page.call({ type: 'commit.files', commit });
    for (const { path } of files) await page.call({ type: 'commit.diff', commit, path });
  }
  await page.call({ type: 'branches' });
  await page.call({ type: 'stashes' });
  await page.call({ type: 'worktrees' });
  await page.call({ type: 'blame', path: 'b.evil' });
  page.close();
  expect(ran()).toEqual([]);
});

test('W37 the traps work: git itself would have run them', () => {
  const { repository, ran } = hostile('control');
  const { git } = repository;
  git('config', '--unset', 'core.worktree');
  for (const args of [['status'], ['diff'], ['log', '-p', '-1']]) {
    try {
      git(...args);
    } catch {
      // Some print nonsense; only that they ran counts.
    }
  }
  expect(ran()).toEqual(expect.arrayContaining(['fsmonitor', 'clean', 'external', 'equals']));
});

test('W37 W41 a missing object is not fetched with a transport that a repository names', async () => {
  const { repository, ran } = hostile('promisor');
  const { directory, git } = repository;
  const blob = git('rev-parse', 'HEAD:b.evil').trim();
  const file = join(directory, '.git/objects', blob.slice(0, 2), blob.slice(2));
  chmodSync(file, 0o644);
  rmSync(file);
  const page = new GitPage(directory, world.path('worktrees'));
  await expect(page.call({ type: 'diff', path: 'b.evil', side: 'unstaged' })).rejects.toMatchObject({
    code: 'GIT_FAILED',
  });
  page.close();
  expect(ran()).toEqual([]);
});

test('W37 staging and switching run no hooks; discarding follows no link out of the project', async () => {
  const repository = repositoryAt(world.path('links'));
  const { directory, commit, git, write } = repository;
  commit('first', { 'in/a.txt': 'a\n' });
  const outside = world.path('outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'a.txt'), 'precious\n');
  for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction']) {
    write(`.git/hooks/${hook}`, `#!/bin/sh\ntouch '${directory}/.git/ran'\n`);
    chmodSync(join(directory, '.git/hooks', hook), 0o755);
  }
  const page = new GitPage(directory, world.path('worktrees'));
  write('in/b.txt', 'b\n');
  await page.call({ type: 'stage', paths: ['in/b.txt'] });
  await page.call({ type: 'unstage', paths: ['in/b.txt'] });
  await page.call({ type: 'branch.create', name: 'other', switch: true });
  expect(existsSync(join(directory, '.git/ran'))).toBe(false);
  git('branch', 'x');
  expect(existsSync(join(directory, '.git/ran'))).toBe(true);

  rmSync(join(directory, 'in'), { recursive: true });
  symlinkSync(outside, join(directory, 'in'));
  for (const path of ['in/a.txt', '../outside/a.txt', '/etc/passwd', '.git/config', 'in']) {
    await page.call({ type: 'discard', paths: [path], confirmed: true }).catch(() => undefined);
    await page.call({ type: 'diff', path, side: 'unstaged' }).catch(() => undefined);
  }
  expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('precious\n');
  expect(existsSync(join(directory, '.git/config'))).toBe(true);
  page.close();
});

const pipe = (at: string): void => void execFileSync('mkfifo', [at]);
function linkedPipe(at: string): void {
  pipe(`${at}-elsewhere`);
  symlinkSync(`${at}-elsewhere`, at);
}
const listen = (at: string): Server => createServer().listen(at);

test.each<[name: string, make: (at: string) => unknown, path: string]>([
  ['a pipe as the index', pipe, 'index'],
  ['a pipe as a branch', pipe, 'refs/heads/evil'],
  ['a link to a pipe', linkedPipe, 'description'],
  ['a device', (at) => symlinkSync('/dev/zero', at), 'info/exclude'],
  ['a socket', listen, 'objects/info/s'],
])(
  'W37 X2 %s in .git is refused at once by name, and accepted again once it is gone',
  async (name, make, path) => {
    const { directory, commit } = repositoryAt(world.path(name.replaceAll(' ', '-')));
    commit('first', { 'a.txt': 'a\n' });
    const page = new GitPage(directory, world.path('worktrees'));
    const at = join(directory, '.git', path);
    const kept = existsSync(at) ? readFileSync(at) : undefined;
    rmSync(at, { force: true });
    const made = make(at);
    const refused = { code: 'GIT_UNSAFE', message: expect.stringContaining(path) };
    await expect(page.call({ type: 'log', skip: 0, limit: 10, all: true })).rejects.toMatchObject(refused);
    await expect(page.call({ type: 'stage', paths: ['a.txt'] })).rejects.toMatchObject(refused);
    if (made instanceof Server) await new Promise((closed) => made.close(closed));
    for (const one of [at, `${at}-elsewhere`]) rmSync(one, { force: true });
    if (kept) writeFileSync(at, kept);
    const { commits } = await page.call({ type: 'log', skip: 0, limit: 10, all: true });
    expect(commits).toHaveLength(1);
    page.close();
  },
);
