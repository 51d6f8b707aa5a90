import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { TurnTrees } from '@tugdeck/trees/turn-trees';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ignoredFolders } from '../src/files/git-list.ts';
import { listFiles } from '../src/files/list-files.ts';
import {
  type GitAsk,
  GitPage,
  type GitWorld,
  gitWorld,
  repositoryAt,
  silent,
  type TestRepository,
} from './git-fixture.ts';

let world: GitWorld;
beforeAll(() => {
  world = gitWorld();
});
afterAll(() => world.dispose());

interface Hostile extends TestRepository {
  /** A program that leaves a trace. */
  trap(name: string): string;
  ran(): string[];
  readonly traps: string[];
  config(bytes: string | Buffer): void;
}

/** `a.txt` is changed but has the same size, so that git must read it, through any filter it finds. */
function hostile(title: string): Hostile {
  const name = title.replace(/\W+/g, '-');
  const repository = repositoryAt(world.path(name));
  const traces = world.path(`${name}-ran`);
  mkdirSync(traces);
  repository.commit('first', { 'a.txt': 'one\n', 'b.txt': 'two\n' });
  repository.write('a.txt', 'ONE\n');
  const traps: string[] = [];
  return {
    ...repository,
    traps,
    trap(what) {
      traps.push(what);
      const file = world.path(`${name}-trap-${what}.sh`);
      writeFileSync(file, `#!/bin/sh\necho ran > '${traces}/${what}'\ncat\n`);
      chmodSync(file, 0o755);
      return file;
    },
    ran: () => readdirSync(traces),
    config: (bytes) => appendFileSync(join(repository.directory, '.git/config'), bytes),
  };
}

/** Everything that reads a repository: the git card, the file tree, quick open, turn trees. */
async function readAll(directory: string): Promise<string> {
  const page = new GitPage(directory, world.path('worktrees'), false);
  const status = await page.status();
  for (const request of [
    { type: 'diff', path: 'a.txt', side: 'unstaged' },
    { type: 'log', skip: 0, limit: 5, all: true },
    { type: 'branches' },
    { type: 'stashes' },
    { type: 'worktrees' },
    { type: 'blame', path: 'a.txt' },
  ] as const) {
    await page.call(request).catch(() => undefined);
  }
  page.close();
  await listFiles(directory);
  await ignoredFolders(directory);
  const trees = new TurnTrees({
    home: world.path('trees'),
    project: directory,
    session: 's1',
    file: world.path('trees.jsonl'),
    now: Date.now,
    log: silent,
  });
  trees.accepted();
  trees.started('t1');
  await trees.settled();
  const { kind, code } = status as { kind: string; code?: string };
  return code ?? kind;
}

/** A filter named `name`, and an attribute that applies it to every file. */
function filterNamed(repository: Hostile, name: Buffer): void {
  const clean = repository.trap('clean');
  repository.config(Buffer.concat([Buffer.from('[filter "'), name, Buffer.from(`"]\n\tclean = ${clean}\n`)]));
  repository.write(
    '.git/info/attributes',
    Buffer.concat([Buffer.from('* filter='), name, Buffer.from('\n')]),
  );
}

test.each([
  ['an invalid UTF-8 byte', [0xff], 'GIT_UNSAFE'],
  ['a truncated sequence', [0xe2, 0x82], 'GIT_UNSAFE'],
  ['a lone surrogate', [0xed, 0xa0, 0x80], 'GIT_UNSAFE'],
  ['an overlong sequence', [0xc0, 0xaf], 'GIT_UNSAFE'],
  ['a Latin-1 é', [0x63, 0xe9], 'GIT_UNSAFE'],
  ['a replacement character', [0xef, 0xbf, 0xbd], 'repository'],
  ['a decomposed letter', [0x65, 0xcc, 0x81], 'repository'],
])('W37 a filter named with %s is not run', async (what, bytes, outcome) => {
  const repository = hostile(`name ${what}`);
  filterNamed(repository, Buffer.from(bytes));
  expect(await readAll(repository.directory)).toBe(outcome);
  expect(repository.ran()).toEqual([]);
  plainGit(repository);
  expect(repository.ran()).toEqual(['clean']);
});

/** Does what the user's own git would do, to show that the traps work. */
function plainGit({ directory }: Hostile): void {
  const input = readFileSync(join(directory, 'a.txt'));
  for (const args of [['status'], ['blame', '--contents', '-', 'a.txt']]) {
    try {
      execFileSync('git', args, { cwd: directory, input, stdio: ['pipe', 'ignore', 'ignore'] });
    } catch {
      // It fails on the trap's output; only that it ran counts.
    }
  }
}

const VARIANTS: readonly (readonly [string, string, (repository: Hostile) => void])[] = [
  ['a NUL in a name', 'GIT_UNSAFE', ({ config }) => config('[filter "x\0y"]\n\tclean = true\n')],
  ['a line end in a name', 'GIT_FAILED', ({ config }) => config('[filter "x\ny"]\n\tclean = true\n')],
  [
    'an included file',
    'repository',
    ({ config, trap, write }) => {
      write('.git/more', `[filter "f"]\n\tclean = ${trap('included')}\n`);
      write('.gitattributes', '* filter=f\n');
      config('[include]\n\tpath = more\n');
    },
  ],
  [
    'files included on a condition',
    'repository',
    ({ config, trap, write, directory }) => {
      write('.git/more', `[core]\n\tfsmonitor = ${trap('if')}\n[filter "f"]\n\tclean = ${trap('iff')}\n`);
      write('.gitattributes', '* filter=f\n');
      for (const when of [`gitdir:${directory}/`, 'onbranch:**', 'hasconfig:remote.*.url:**'])
        config(`[includeIf "${when}"]\n\tpath = more\n`);
      config('[remote "o"]\n\turl = x\n');
    },
  ],
  [
    // The stdin of blame is a file of the repository.
    'its own stdin as an included file',
    'repository',
    ({ config, write }) => {
      write('a.txt', '[diff]\n\torderFile = /dev/zero\n');
      config('[include]\n\tpath = /dev/stdin\n');
    },
  ],
  ['an endless included file', 'repository', ({ config }) => config('[include]\n\tpath = /dev/zero\n')],
  [
    'the configuration of a worktree',
    'repository',
    ({ git, write, trap }) => {
      git('config', 'extensions.worktreeConfig', 'true');
      write('.git/config.worktree', `[filter "f"]\n\tclean = ${trap('worktree')}\n`);
      write('.gitattributes', '* filter=f\n');
    },
  ],
  [
    'a name in the configuration of a worktree',
    'GIT_UNSAFE',
    ({ git, write }) => {
      git('config', 'extensions.worktreeConfig', 'true');
      write('.git/config.worktree', Buffer.from('[filter "\xff"]\n\tclean = true\n', 'latin1'));
    },
  ],
  [
    'a submodule',
    'repository',
    ({ directory, git, trap }) => {
      const inner = repositoryAt(join(directory, 'sub'));
      inner.commit('first', { 'x.txt': 'x\n' });
      git('add', 'sub');
      git('commit', '-qm', 'sub');
      inner.git('config', 'core.fsmonitor', trap('sub-monitor'));
      inner.git('config', 'filter.f.clean', trap('sub-filter'));
      inner.write('.gitattributes', '* filter=f\n');
      inner.write('x.txt', 'X\n');
    },
  ],
  [
    'a .git that points elsewhere',
    'repository',
    ({ directory, git, trap, write }) => {
      git('config', 'core.fsmonitor', trap('elsewhere'));
      git('config', 'filter.f.clean', trap('elsewhere-filter'));
      write('.gitattributes', '* filter=f\n');
      renameSync(join(directory, '.git'), `${directory}-git`);
      write('.git', `gitdir: ${directory}-git\n`);
    },
  ],
  [
    'a common directory elsewhere',
    'repository',
    ({ directory, git, trap, write }) => {
      git('config', 'core.fsmonitor', trap('common'));
      git('config', 'filter.f.clean', trap('common-filter'));
      write('.gitattributes', '* filter=f\n');
      renameSync(join(directory, '.git'), `${directory}-common`);
      mkdirSync(join(directory, '.git'));
      for (const name of ['HEAD', 'index'])
        renameSync(`${directory}-common/${name}`, join(directory, '.git', name));
      writeFileSync(`${directory}-common/HEAD`, 'ref: refs/heads/main\n');
      write('.git/commondir', `${directory}-common\n`);
    },
  ],
  [
    'objects borrowed from a device',
    'repository',
    ({ write }) => write('.git/objects/info/alternates', '/dev/zero\n/dev\n'),
  ],
  [
    'attributes, exclusions and names from a device',
    'repository',
    ({ git }) => {
      for (const key of ['core.attributesFile', 'core.excludesFile', 'mailmap.file', 'blame.ignoreRevsFile'])
        git('config', key, '/dev/zero');
    },
  ],
  [
    'attributes linked to a device',
    'GIT_UNSAFE',
    ({ directory }) => {
      rmSync(join(directory, '.git/info/attributes'), { force: true });
      symlinkSync('/dev/zero', join(directory, '.git/info/attributes'));
    },
  ],
  [
    'a configuration that is a device',
    'GIT_UNSAFE',
    ({ directory }) => {
      rmSync(join(directory, '.git/config'));
      symlinkSync('/dev/zero', join(directory, '.git/config'));
    },
  ],
  [
    'an unknown repository format',
    'GIT_UNSAFE',
    ({ git }) => {
      git('config', 'core.repositoryFormatVersion', '1');
      git('config', 'extensions.tomorrow', 'true');
    },
  ],
  [
    'references elsewhere',
    'GIT_UNSAFE',
    ({ git }) => {
      git('config', 'core.repositoryFormatVersion', '1');
      git('config', 'extensions.refStorage', 'files:///tmp/elsewhere');
    },
  ],
];

test.each(VARIANTS)('W37 %s: reading ends with %s and runs nothing', async (name, outcome, prepare) => {
  const repository = hostile(`variant ${name}`);
  prepare(repository);
  expect(await readAll(repository.directory)).toBe(outcome);
  expect(repository.ran()).toEqual([]);
  if (repository.traps.length === 0) return;
  plainGit(repository);
  expect(repository.ran()).not.toEqual([]);
});

test('W3 the filtered view gives the same results as git itself', async () => {
  const { directory, git, write, commit } = repositoryAt(world.path('kept'));
  commit('first', { 'a.txt': 'one\r\ntwo\r\n', 'in/b.txt': 'b\n', 'out/c.txt': 'c\n' });
  git('branch', 'b"\'=é');
  git('remote', 'add', 'origin', '/nowhere');
  git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  git('config', 'branch.main.remote', 'origin');
  git('config', 'branch.main.merge', 'refs/heads/main');
  git('config', 'core.autocrlf', 'true');
  git('config', 'user.name', ' a "name"; # of\tits \\ own\n');
  git('sparse-checkout', 'set', 'in');
  commit('second', { 'a.txt': 'one\ntwo\n' });
  write('in/b.txt', 'changed\n');
  const page = new GitPage(directory, world.path('worktrees'), false);
  const { upstream, branch, files } = await page.status();
  expect({ upstream, branch }).toEqual({
    upstream: { name: 'origin/main', ahead: 1, behind: 0, gone: false },
    branch: 'main',
  });
  expect(files.map(({ path }) => path)).toEqual(['in/b.txt']);
  const { branches } = await page.call({ type: 'branches' });
  expect(branches.map(({ name }: { name: string }) => name)).toContain('b"\'=é');
  const { path } = await page.call({ type: 'worktree.add', branch: 'side' });
  const { worktrees } = await page.call({ type: 'worktrees' });
  expect(worktrees).toMatchObject([
    { path: directory, current: true, main: true },
    { path, current: false, main: false },
  ]);
  page.close();
  const linked = new GitPage(path, world.path('worktrees'), false);
  expect(await linked.call({ type: 'worktrees' })).toMatchObject({
    worktrees: [
      { path: directory, current: false },
      { path, current: true },
    ],
  });
  const { branches: seen } = await linked.call({ type: 'branches' });
  expect(seen.find(({ name }: { name: string }) => name === 'main')).toMatchObject({ elsewhere: directory });
  linked.close();
});

test('X6 W38 a change in an untrusted project runs nothing; one that would run a program is refused', async () => {
  const repository = hostile('changes');
  const { directory, git, write, trap, ran } = repository;
  const page = new GitPage(directory, world.path('worktrees'), false);
  await page.call({ type: 'stage', paths: ['a.txt'] });
  await page.call({ type: 'commit', message: 'without hooks' });
  write('a.txt', 'two\n');
  write('.git/hooks/pre-commit', `#!/bin/sh\n${trap('hook')}\n`);
  chmodSync(join(directory, '.git/hooks/pre-commit'), 0o755);
  await page.call({ type: 'stage', paths: ['a.txt'] });
  const head = git('rev-parse', 'HEAD');
  await expect(page.call({ type: 'commit', message: 'with a hook' })).rejects.toMatchObject({
    code: 'GIT_UNSAFE',
  });
  git('config', 'filter.f.clean', trap('clean'));
  git('config', 'filter.f.smudge', trap('smudge'));
  write('.gitattributes', '* filter=f\n');
  write('a.txt', 'TWO\n');
  for (const request of [
    { type: 'stage', paths: ['a.txt'] },
    { type: 'discard', paths: ['a.txt'], confirmed: true },
    { type: 'stash.push' },
    { type: 'branch.create', name: 'x', switch: true },
    { type: 'commit', message: 'with a filter' },
  ] satisfies GitAsk[]) {
    await expect(page.call(request)).rejects.toMatchObject({ code: 'GIT_UNSAFE' });
  }
  page.close();
  expect(ran()).toEqual([]);
  expect(git('rev-parse', 'HEAD')).toBe(head);

  const trusted = new GitPage(directory, world.path('worktrees'), true);
  await trusted.call({ type: 'stage', paths: ['a.txt'] });
  await trusted.call({ type: 'commit', message: 'trusted' });
  trusted.close();
  expect(ran()).toEqual(expect.arrayContaining(['clean', 'hook']));
});

test('X6 W38 hooks outside the repository block a commit in an untrusted project, and nothing else', async () => {
  const { directory, git, write, trap, ran } = hostile('hooks-path');
  for (const hook of ['pre-commit', 'post-checkout', 'post-index-change', 'reference-transaction']) {
    write(`hooks/${hook}`, `#!/bin/sh\n${trap(hook)}\n`);
    chmodSync(join(directory, 'hooks', hook), 0o755);
  }
  for (const key of ['core.fsmonitor', 'core.pager', 'core.editor', 'diff.external'])
    git('config', key, trap(key));
  git('config', 'core.hooksPath', 'hooks');
  const page = new GitPage(directory, world.path('worktrees'), false);
  await page.call({ type: 'stage', paths: ['a.txt'] });
  await page.call({ type: 'stash.push' });
  await page.call({ type: 'branch.create', name: 'x', switch: true });
  await expect(page.call({ type: 'commit', message: 'x' })).rejects.toMatchObject({ code: 'GIT_UNSAFE' });
  page.close();
  expect(ran()).toEqual([]);
});

test('W37 creating a repository refuses an existing .git that is not one', async () => {
  const directory = world.path('half');
  mkdirSync(join(directory, '.git'), { recursive: true });
  writeFileSync(join(directory, '.git/config'), '[core]\n\tfsmonitor = true\n');
  const page = new GitPage(directory, world.path('worktrees'), false);
  await expect(page.call({ type: 'init' })).rejects.toMatchObject({ code: 'GIT_UNSAFE' });
  page.close();
  expect(existsSync(join(directory, '.git/HEAD'))).toBe(false);
});
