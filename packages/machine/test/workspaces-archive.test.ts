/** Archiving and restoring workspaces with real git (B60 to B71): nothing is lost. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { tearDown } from '../src/workspaces/teardown.ts';
import { type GitWorld, gitWorld, repositoryAt, type TestRepository } from './git-fixture.ts';
import { type PlaceOptions, PROJECT, type WorkspacePlace, workspacePlace } from './workspace-fixture.ts';
import { contents, gitIn, gitState } from './workspace-work.ts';

const IS_FULL = process.env.TUGDECK_TEST_FULL === '1';
const OTHER_DISK = '/dev/shm';
const hasOtherDisk = existsSync(OTHER_DISK) && statSync(OTHER_DISK).dev !== statSync(tmpdir()).dev;
let world: GitWorld;
let number = 0;
const open: WorkspacePlace[] = [];

beforeAll(() => {
  world = gitWorld();
});
afterEach(async () => {
  for (const place of open.splice(0)) await place.close();
});
afterAll(() => world.dispose());

function fresh(files: Readonly<Record<string, string>> = {}): TestRepository {
  const repository = repositoryAt(world.path(`case-${++number}`, 'shop'));
  const ignore = '.env\nnode_modules/\n*.sqlite\n';
  repository.commit('one', { 'README.md': 'hello\n', 'src/a.ts': 'a\n', '.gitignore': ignore, ...files });
  return repository;
}

function placeOf(repository: TestRepository, options: PlaceOptions = {}): WorkspacePlace {
  const place = workspacePlace(join(repository.directory, '..', 'data'), repository.directory, options);
  open.push(place);
  return place;
}

async function made(place: WorkspacePlace, title = 'work', base?: string) {
  const { id } = await place.workspaces.create(PROJECT, { title, ...(base === undefined ? {} : { base }) });
  return place.workspaces.ready(id);
}

async function archived(place: WorkspacePlace, id: string) {
  return place.workspaces.archive(id);
}

describe('looking first', () => {
  it('B60 shows changes, commits, ignored files and what is created again', async () => {
    const repository = fresh();
    const place = placeOf(repository);
    const { id, path } = await made(place);
    writeFileSync(join(path, 'README.md'), 'changed\n');
    writeFileSync(join(path, 'new.txt'), 'new\n');
    writeFileSync(join(path, 'staged.txt'), 'staged\n');
    gitIn(path, 'add', 'staged.txt');
    gitIn(path, 'commit', '-q', '--allow-empty', '-m', 'own');
    gitIn(path, 'reset', '-q', '--soft', 'HEAD~0');
    writeFileSync(join(path, 'dev.sqlite'), 'rows');
    mkdirSync(join(path, 'node_modules', 'x'), { recursive: true });
    writeFileSync(join(path, 'node_modules', 'x', 'index.js'), '1');
    writeFileSync(join(path, 'later.txt'), 'later\n');
    gitIn(path, 'add', 'later.txt');
    expect(await place.workspaces.contents(id)).toEqual({
      changed: 1,
      untracked: 1,
      staged: 1,
      ownCommits: 1,
      ignored: ['dev.sqlite'],
      dropped: [{ path: 'node_modules/', bytes: expect.any(Number) }],
      branch: expect.stringMatching(/\/work$/),
      deletesBranch: false,
      terminals: 0,
      agents: 0,
    });
  });

  it('B61 refuses while an agent works or a merge is unfinished, and changes nothing', async () => {
    const repository = fresh();
    let isWorking = true;
    const place = placeOf(repository, { use: { isWorking: () => isWorking } });
    const { id, path } = await made(place);
    await expect(archived(place, id)).rejects.toMatchObject({ code: 'WORKSPACE_BUSY' });
    isWorking = false;
    gitIn(path, 'checkout', '-q', '-b', 'other');
    writeFileSync(join(path, 'README.md'), 'other\n');
    gitIn(path, 'commit', '-q', '-am', 'other');
    gitIn(path, 'checkout', '-q', '-');
    writeFileSync(join(path, 'README.md'), 'mine\n');
    gitIn(path, 'commit', '-q', '-am', 'mine');
    expect(() => gitIn(path, 'merge', 'other')).toThrow();
    await expect(archived(place, id)).rejects.toThrow('merge is not finished');
    expect(existsSync(join(path, 'README.md'))).toBe(true);
  });
});

describe('a teardown', () => {
  it.each([
    [0, []],
    [3, ['The teardown failed with exit code 3.']],
    [undefined, ['The teardown was stopped.']],
  ])('B64 runs before anything ends; one that ends with %s stops nothing', async (code, notes) => {
    const repository = fresh();
    const order: string[] = [];
    const place = placeOf(repository, {
      settings: { teardown: 'make stop' },
      use: {
        teardown: async ({ path }, command) => {
          order.push(command, existsSync(path) ? 'there' : 'gone');
          return code;
        },
        end: async () => void order.push('end'),
      },
    });
    const { id } = await place.workspaces.create(PROJECT, { title: 'work' });
    await place.workspaces.ready(id);
    const row = await place.workspaces.archive(id);
    expect(order).toEqual(['make stop', 'there', 'end']);
    expect(row).toMatchObject({ state: 'archived', notes });
  });

  it('B64 one that does not end is no longer waited for', async () => {
    expect(await tearDown(new Promise(() => undefined), 1)).toBe(
      'The teardown was stopped after two minutes.',
    );
  });
});

describe('data that similar tools lose', () => {
  it('B61 a turn that begins after the request stops archiving', async () => {
    let isWorking = false;
    const place = placeOf(fresh(), {
      use: { isWorking: () => isWorking },
      reached: ({ op }) => {
        isWorking = op?.kind === 'archive';
      },
    });
    const { id, path } = await made(place);
    await expect(archived(place, id)).rejects.toMatchObject({ code: 'WORKSPACE_BUSY' });
    expect(place.workspaces.list()).toMatchObject([{ state: 'ready' }]);
    expect(existsSync(join(path, 'README.md'))).toBe(true);
  });

  it('B60 B62 keeps a folder named like a build folder that git does not ignore', async () => {
    const place = placeOf(fresh());
    const { id, path } = await made(place);
    mkdirSync(join(path, 'build'));
    writeFileSync(join(path, 'build', 'dev.sqlite'), 'rows');
    expect(await place.workspaces.contents(id)).toMatchObject({ dropped: [] });
    await archived(place, id);
    await place.workspaces.restore(id);
    expect(readFileSync(join(path, 'build', 'dev.sqlite'), 'utf8')).toBe('rows');
  });

  it('B29 B62 commits in a shallow clone come back', async () => {
    const repository = fresh();
    repository.commit('two', { 'b.txt': 'b\n' });
    const shallow = repositoryAt(world.path(`case-${number}`, 'shallow'), false);
    execFileSync('git', ['clone', '-q', '--depth', '1', `file://${repository.directory}`, shallow.directory]);
    const place = placeOf(shallow);
    const { id, path } = await made(place);
    gitIn(path, 'commit', '-q', '--allow-empty', '-m', 'own');
    const before = gitState(path);
    await archived(place, id);
    await place.workspaces.restore(id);
    expect(gitState(path)).toEqual(before);
  });

  it('B62 unpushed commits, staged, untracked and ignored files come back', async () => {
    const repository = fresh();
    const place = placeOf(repository);
    const { id, path, branch } = await made(place);
    for (let step = 0; step < 5; step++) gitIn(path, 'commit', '-q', '--allow-empty', '-m', `own ${step}`);
    writeFileSync(join(path, 'staged.txt'), 'staged\n');
    gitIn(path, 'add', 'staged.txt');
    writeFileSync(join(path, 'staged.txt'), 'and changed\n');
    writeFileSync(join(path, '.env'), 'SECRET=1\n');
    mkdirSync(join(path, 'empty', 'folder'), { recursive: true });
    rmSync(join(path, 'src/a.ts'));
    const before = [contents(path), gitState(path)];
    const kept = await archived(place, id);
    expect(kept).toMatchObject({ state: 'archived', slot: undefined, op: undefined });
    expect(existsSync(path)).toBe(false);
    expect(repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    // The branch has unpushed commits and stays; even without it, they are in the bundle.
    repository.git('update-ref', '-d', `refs/heads/${branch}`);
    repository.git('reflog', 'expire', '--expire=now', '--all');
    repository.git('gc', '--quiet', '--prune=now');
    expect(await place.workspaces.restore(id)).toMatchObject({ state: 'ready', path });
    expect([contents(path), gitState(path)]).toEqual(before);
    expect(existsSync(join(place.archive, id))).toBe(false);
  });

  it('B62 B90 commits of a base branch that is deleted while the archive waits come back', async () => {
    const repository = fresh();
    repository.git('checkout', '-q', '-b', 'topic');
    repository.commit('topic', { 'topic.txt': 'topic\n' });
    repository.git('checkout', '-q', 'main');
    const place = placeOf(repository);
    const { id, path } = await made(place, 'work', 'topic');
    const commit = gitIn(path, 'rev-parse', 'HEAD');
    await archived(place, id);
    repository.git('branch', '-D', 'topic');
    repository.git('reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all');
    repository.git('gc', '--quiet', '--prune=now');
    expect(() => repository.git('cat-file', '-e', commit.trim())).toThrow();
    await place.workspaces.restore(id);
    expect(gitIn(path, 'rev-parse', 'HEAD')).toBe(commit);
    expect(gitIn(path, 'status', '--porcelain')).toBe('');
    expect(readFileSync(join(path, 'topic.txt'), 'utf8')).toBe('topic\n');
  });

  it('B62 B90 commits of a second default branch that is deleted while the archive waits come back', async () => {
    const repository = fresh();
    repository.git('checkout', '-q', '-b', 'master');
    repository.commit('old default', { 'topic.txt': 'topic\n' });
    repository.git('checkout', '-q', 'main');
    const place = placeOf(repository);
    const { id, path } = await made(place, 'work', 'master');
    const before = [contents(path), gitState(path)];
    await archived(place, id);
    repository.git('branch', '-D', 'master');
    repository.git('reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all');
    repository.git('gc', '--quiet', '--prune=now');
    await place.workspaces.restore(id);
    expect([contents(path), gitState(path)]).toEqual(before);
  });

  it('B62 commits that only refs of the worktree name come back', async () => {
    const repository = fresh();
    const place = placeOf(repository);
    const { id, path } = await made(place);
    const tree = gitIn(path, 'rev-parse', 'HEAD^{tree}').trim();
    gitIn(
      path,
      'update-ref',
      'refs/worktree/mine/kept',
      gitIn(path, 'commit-tree', '-m', 'kept', tree).trim(),
    );
    await archived(place, id);
    repository.git('gc', '--quiet', '--prune=now');
    await place.workspaces.restore(id);
    expect(gitIn(path, 'log', '-1', '--format=%s', 'refs/worktree/mine/kept').trim()).toBe('kept');
  });

  it('B67 B90 is restored after the default branch was rewritten, as long as git has its old commits', async () => {
    const repository = fresh();
    const place = placeOf(repository);
    const { id, path } = await made(place);
    gitIn(path, 'commit', '-q', '--allow-empty', '-m', 'own');
    const before = [contents(path), gitState(path)];
    const { branch = '' } = await archived(place, id);
    repository.git('commit', '-q', '--amend', '-m', 'rewritten');
    repository.git('branch', '-D', branch);
    await place.workspaces.restore(id);
    expect([contents(path), gitState(path)]).toEqual(before);
    expect(repository.git('for-each-ref', '--format=%(refname)').trim().split('\n').sort()).toEqual([
      'refs/heads/main',
      `refs/heads/${branch}`,
    ]);
    gitIn(path, 'fsck', '--connectivity-only', '--no-dangling');
  });

  it('B63 B66 a new branch does not count as merged: it is deleted only when archived, and restored', async () => {
    const repository = fresh();
    const place = placeOf(repository);
    const { id, path, branch = '' } = await made(place);
    writeFileSync(join(path, 'new.txt'), 'never committed\n');
    await archived(place, id);
    expect(repository.git('for-each-ref', 'refs/heads/')).not.toContain(branch);
    await place.workspaces.restore(id);
    expect(gitIn(path, 'symbolic-ref', '--short', 'HEAD').trim()).toBe(branch);
    expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('never committed\n');
  });

  it('B63 a branch whose upstream is gone stays', async () => {
    const repository = fresh();
    const clone = repositoryAt(world.path(`case-${number}`, 'clone'), false);
    execFileSync('git', ['clone', '-q', repository.directory, clone.directory]);
    const place = workspacePlace(world.path(`case-${number}`, 'data2'), clone.directory);
    open.push(place);
    const { id, path, branch = '' } = await made(place);
    gitIn(path, 'commit', '-q', '--allow-empty', '-m', 'own');
    gitIn(path, 'push', '-q', '-u', 'origin', branch);
    repository.git('branch', '-D', branch);
    clone.git('fetch', '-q', '--prune');
    expect(clone.git('branch', '-vv')).toContain(': gone]');
    await archived(place, id);
    expect(clone.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/')).toContain(branch);
  });

  it('B23 B62 a submodule with unpushed commits and changes comes back', async () => {
    const library = repositoryAt(world.path(`lib-${number}`));
    library.commit('lib', { 'lib.ts': 'lib\n' });
    const repository = fresh();
    repository.git('submodule', '--quiet', 'add', library.directory, 'lib');
    repository.commit('add lib');
    const place = placeOf(repository);
    const { id, path } = await made(place);
    gitIn(path, 'submodule', '--quiet', 'update', '--init');
    const inside = join(path, 'lib');
    gitIn(inside, 'config', 'user.name', 'Ada');
    writeFileSync(join(inside, 'lib.ts'), 'committed\n');
    gitIn(inside, 'commit', '-q', '-am', 'unpushed');
    writeFileSync(join(inside, 'lib.ts'), 'changed\n');
    const before = [
      contents(path),
      gitIn(inside, 'log', '--format=%H'),
      gitIn(inside, 'status', '--porcelain'),
    ];
    await archived(place, id);
    await place.workspaces.restore(id);
    expect([
      contents(path),
      gitIn(inside, 'log', '--format=%H'),
      gitIn(inside, 'status', '--porcelain'),
    ]).toEqual(before);
  });

  it('B35 B36 a worktree deleted by hand is missing, keeps its branch, and can be forgotten', async () => {
    const repository = fresh();
    const place = placeOf(repository);
    const { id, path, branch = '' } = await made(place);
    gitIn(path, 'commit', '-q', '--allow-empty', '-m', 'own');
    rmSync(path, { recursive: true });
    expect(place.workspaces.list()).toMatchObject([{ id, state: 'missing' }]);
    await expect(archived(place, id)).rejects.toMatchObject({ code: 'WORKSPACE_MISSING' });
    await place.workspaces.forget(id);
    expect(place.workspaces.list()).toEqual([]);
    expect(repository.git('for-each-ref', 'refs/heads/')).toContain(branch);
    expect(repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('B36 a branch switched by hand is archived as it is', async () => {
    const repository = fresh();
    const place = placeOf(repository);
    const { id, path, branch = '' } = await made(place);
    gitIn(path, 'switch', '-q', '-c', 'by-hand');
    gitIn(path, 'commit', '-q', '--allow-empty', '-m', 'own');
    const before = gitState(path);
    expect(await place.workspaces.contents(id)).toMatchObject({ branch: 'by-hand', deletesBranch: false });
    await archived(place, id);
    const left = repository.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/');
    expect(left).toContain('by-hand');
    expect(left).toContain(branch);
    await place.workspaces.restore(id);
    expect(gitState(path)).toEqual(before);
  });

  it('B14 a worktree that another program locked is not touched', async () => {
    const repository = fresh();
    const place = placeOf(repository);
    const { id, path } = await made(place);
    gitIn(path, 'worktree', 'unlock', path);
    gitIn(path, 'worktree', 'lock', '--reason', 'on a portable device', path);
    await expect(archived(place, id)).rejects.toMatchObject({ code: 'WORKSPACE_UNSAFE' });
    expect(existsSync(join(path, 'README.md'))).toBe(true);
    expect(place.workspaces.list()).toMatchObject([{ state: 'ready' }]);
  });

  it.skipIf(!hasOtherDisk)(
    'B62 B89 a worktree on another file system stays as it is, and the error says why',
    async () => {
      const repository = fresh();
      const place = placeOf(repository);
      const folder = mkdtempSync(join(OTHER_DISK, 'td-archive-'));
      try {
        const path = join(folder, 'found');
        repository.git('worktree', 'add', '-q', '-b', 'found', path);
        const { id } = await place.workspaces.adopt(PROJECT, path);
        writeFileSync(join(path, 'new.txt'), 'new\n');
        const before = [contents(path), gitState(path)];
        await expect(place.workspaces.archive(id)).rejects.toMatchObject({ code: 'WORKSPACE_UNSAFE' });
        expect(place.workspaces.get(id)).toMatchObject({ state: 'ready', op: undefined });
        expect([contents(path), gitState(path)]).toEqual(before);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );

  it('B62 nothing is removed if not everything can be kept', async () => {
    const repository = fresh();
    const place = placeOf(repository);
    const { id, path } = await made(place);
    gitIn(path, 'commit', '-q', '--allow-empty', '-m', 'own');
    const before = [contents(path), gitState(path)];
    mkdirSync(join(place.archive, id), { recursive: true });
    // The bundle can't be written.
    mkdirSync(join(place.archive, id, 'commits.bundle', 'x'), { recursive: true });
    await expect(archived(place, id)).rejects.toThrow();
    expect([contents(path), gitState(path)]).toEqual(before);
    expect(place.workspaces.list()).toMatchObject([{ state: 'ready' }]);
  });

  it('B62 files whose place was taken stay in the archive until they can be kept', async () => {
    const repository = fresh();
    const root = join(repository.directory, '..', 'data');
    let path = '';
    const place = placeOf(repository, {
      reached: ({ op }) => {
        if (op?.kind === 'archive' && op.step === 'keep') mkdirSync(path);
      },
    });
    const row = await made(place);
    path = row.path;
    gitIn(path, 'commit', '-q', '--allow-empty', '-m', 'own');
    writeFileSync(join(path, 'new.txt'), 'new\n');
    // The bundle can't be written.
    const obstacle = join(place.archive, row.id, 'commits.bundle');
    mkdirSync(join(obstacle, 'x'), { recursive: true });
    await expect(archived(place, row.id)).rejects.toThrow();
    expect(place.workspaces.list()).toMatchObject([{ state: 'archiving' }]);
    await expect(place.workspaces.forget(row.id)).rejects.toMatchObject({ code: 'WORKSPACE_BUSY' });
    rmSync(obstacle, { recursive: true });
    rmSync(path, { recursive: true });
    await open.pop()?.close();
    const next = workspacePlace(root, repository.directory);
    open.push(next);
    next.workspaces.resume();
    await next.workspaces.ready(row.id).catch(() => undefined);
    await next.workspaces.restore(row.id);
    expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('new\n');
  });

  it('B67 stays archived if its branch cannot be created, and can be restored later', async () => {
    const repository = fresh();
    const place = placeOf(repository);
    const { id, path, branch = '' } = await made(place);
    gitIn(path, 'commit', '-q', '--allow-empty', '-m', 'own');
    await archived(place, id);
    repository.git('branch', '-D', branch);
    repository.git('branch', `${branch}/other`);
    await expect(place.workspaces.restore(id)).rejects.toMatchObject({ code: 'GIT_FAILED' });
    expect(place.workspaces.list()).toMatchObject([{ state: 'archived' }]);
    repository.git('branch', '-D', `${branch}/other`);
    expect(await place.workspaces.restore(id)).toMatchObject({ state: 'ready', branch });
  });

  it('B67 is detached at its commit if the branch moved since', async () => {
    const repository = fresh();
    const place = placeOf(repository);
    const { id, path, branch = '' } = await made(place);
    gitIn(path, 'commit', '-q', '--allow-empty', '-m', 'own');
    const head = gitIn(path, 'rev-parse', 'HEAD');
    await archived(place, id);
    repository.git('branch', '-f', branch, 'main');
    const row = await place.workspaces.restore(id);
    expect(gitIn(path, 'rev-parse', 'HEAD')).toBe(head);
    expect(gitIn(path, 'rev-parse', '--abbrev-ref', 'HEAD').trim()).toBe('HEAD');
    expect(row.notes.join()).toContain('has moved since');
  });

  it('B67 refuses to restore over a folder that exists again', async () => {
    const repository = fresh();
    const place = placeOf(repository);
    const { id, path } = await made(place);
    await archived(place, id);
    mkdirSync(path);
    await expect(place.workspaces.restore(id)).rejects.toMatchObject({ code: 'FILE_EXISTS' });
    expect(place.workspaces.list()).toMatchObject([{ state: 'archived' }]);
  });

  it('B68 archives are deleted after 30 days', async () => {
    let now = 1_000_000;
    const place = placeOf(fresh(), { now: () => now });
    const { id } = await made(place);
    await archived(place, id);
    await place.workspaces.empty();
    expect(place.workspaces.list()).toMatchObject([{ state: 'archived' }]);
    now += 31 * 24 * 3600 * 1000;
    await place.workspaces.empty();
    expect(place.workspaces.list()).toEqual([]);
    expect(existsSync(join(place.archive, id))).toBe(false);
  });

  it('B68 does not delete an archive that was restored', async () => {
    let now = 1_000_000;
    let onLook = () => undefined as unknown;
    const place = placeOf(fresh(), {
      now: () => {
        onLook();
        return now;
      },
    });
    const [first, second] = [await made(place, 'one'), await made(place, 'two')];
    for (const { id } of [first, second]) await archived(place, id);
    now += 31 * 24 * 3600 * 1000;
    // While the first is deleted, the user begins to restore the second.
    onLook = () => {
      const row = place.workspaces.get(second.id);
      place.store.workspaces.save({ ...row, state: 'restoring' });
    };
    await place.workspaces.empty();
    expect(place.workspaces.list()).toMatchObject([{ id: second.id, state: 'restoring' }]);
    expect(existsSync(join(place.archive, second.id, 'archive.json'))).toBe(true);
  });

  it('B68 finishes deleting an archive that a stopped server left', async () => {
    const place = placeOf(fresh());
    const { id } = await made(place);
    place.store.workspaces.save({ ...(await archived(place, id)), state: 'emptied' });
    await place.workspaces.empty();
    expect(place.workspaces.list()).toEqual([]);
    expect(existsSync(join(place.archive, id))).toBe(false);
  });

  it('B68 B70 an archive with secrets is closed to others, and deleted at once by hand', async () => {
    const place = placeOf(fresh());
    const { id, path } = await made(place);
    writeFileSync(join(path, '.env'), 'SECRET=abcdef-in-the-archive\n', { mode: 0o644 });
    chmodSync(join(path, '.env'), 0o666);
    await archived(place, id);
    const held = () =>
      spawnSync('grep', ['-rl', 'abcdef-in-the-archive', place.archive, place.home], { encoding: 'utf8' })
        .stdout;
    expect(held().trim()).toBe(join(place.archive, id, 'tree', '.env'));
    // Whatever the modes of the files are, nobody else gets to them.
    expect(lstatSync(join(place.archive, id)).mode & 0o077).toBe(0);
    await place.workspaces.forget(id);
    expect(held()).toBe('');
    expect(existsSync(join(place.archive, id))).toBe(false);
    expect(place.store.workspaces.list()).toEqual([]);
  });

  it('B70 an archive is smaller than its worktree, and only its owner can read it', async () => {
    const place = placeOf(fresh({ 'large.txt': 'x'.repeat(3_000_000) }));
    const { id } = await made(place);
    const [before] = await place.workspaces.sizes();
    await archived(place, id);
    const [after] = await place.workspaces.sizes();
    expect(before?.worktree).toBeGreaterThan(3_000_000);
    expect(after?.worktree).toBe(0);
    expect(after?.archive).toBeLessThan(1_000_000);
    expect(lstatSync(join(place.archive, id)).mode & 0o777).toBe(0o700);
  });
});

describe('random states', () => {
  const seeds = Array.from({ length: IS_FULL ? 150 : 6 }, (_, seed) => seed + 1);

  it.each(seeds)('B62 B67 B90 restores byte for byte (seed %i)', async (seed) => {
    const random = randomFrom(seed);
    const repository = fresh({
      '.gitattributes': '*.crlf text eol=crlf\n',
      'win.crlf': 'a\nb\n',
      'run.sh': '#!/bin/sh\n',
    });
    repository.git('checkout', '-q', '-b', 'topic');
    repository.commit('topic', { 'topic.txt': 'topic\n' });
    repository.git('checkout', '-q', 'main');
    const place = placeOf(repository);
    const base = random(2) === 0 ? 'topic' : 'main';
    const { id, path } = await made(place, 'work', base);
    for (let act = 0; act < 14; act++) change(path, random);
    const before = [contents(path), gitState(path)];
    await archived(place, id);
    // The base and the branch may be deleted while the archive waits, and git may collect their commits.
    if (random(2) === 0) repository.git('branch', '-D', 'topic');
    if (random(2) === 0) {
      repository.git(
        'reflog',
        'expire',
        '--expire=now',
        '--expire-unreachable=now',
        'HEAD',
        'refs/heads/main',
      );
      repository.git('gc', '--quiet', '--prune=now');
    }
    await place.workspaces.restore(id);
    gitIn(path, 'fsck', '--connectivity-only', '--no-dangling');
    expect([contents(path), gitState(path)]).toEqual(before);
  });
});

/** One random act of an agent or a person. */
function change(path: string, random: (below: number) => number): void {
  const names = [
    'README.md',
    'src/a.ts',
    'b.txt',
    'deep/er/c.txt',
    'win.crlf',
    '.env',
    'x.sqlite',
    'ünï\ncode',
    'run.sh',
  ];
  const name = names[random(names.length)] ?? 'b.txt';
  const file = join(path, name);
  const text = `${random(1000)}${random(2) === 0 ? '\r\n' : '\n'}`.repeat(1 + random(40));
  switch (random(18)) {
    case 0:
    case 1:
    case 2:
      mkdirSync(join(file, '..'), { recursive: true });
      rmSync(file, { force: true, recursive: true });
      writeFileSync(file, text);
      break;
    case 3:
      rmSync(file, { force: true, recursive: true });
      break;
    case 4:
      gitIn(path, 'add', '-A');
      break;
    case 5:
      gitIn(path, 'add', '-A');
      gitIn(path, 'commit', '-q', '--allow-empty', '-m', `commit ${random(100)}`);
      break;
    case 6:
      gitIn(path, 'commit', '-q', '--amend', '--allow-empty', '-m', `amended ${random(100)}`);
      break;
    case 7:
      rmSync(file, { force: true, recursive: true });
      mkdirSync(join(file, '..'), { recursive: true });
      symlinkSync(`../${random(10)}`, file);
      break;
    case 8:
      if (existsSync(file) && lstatSync(file).isFile()) chmodSync(file, random(2) === 0 ? 0o755 : 0o644);
      break;
    case 9:
      gitIn(path, 'add', '-A');
      gitIn(path, 'stash', 'push', '-q');
      break;
    case 10:
      gitIn(path, 'checkout', '-q', '-B', `other-${random(3)}`);
      break;
    case 11:
      gitIn(path, 'checkout', '-q', '--detach');
      break;
    case 12:
      mkdirSync(join(path, 'empty', `${random(3)}`), { recursive: true });
      break;
    case 13:
      // The commit before is only in the reflog then.
      gitIn(path, 'commit', '-q', '--allow-empty', '-m', `dropped ${random(100)}`);
      gitIn(path, 'reset', '-q', '--soft', 'HEAD~1');
      break;
    case 14:
      gitIn(path, 'update-ref', `refs/worktree/${random(3)}`, 'HEAD');
      break;
    case 15:
      if (existsSync(file) && lstatSync(file).isFile()) gitIn(path, 'add', '-f', '-N', '--', name);
      break;
    case 16: {
      const flags = ['--assume-unchanged', '--skip-worktree', '--no-skip-worktree'];
      gitIn(path, 'update-index', flags[random(flags.length)] ?? '', '.gitattributes');
      break;
    }
    case 17: {
      // Another repository inside.
      const inner = join(path, 'vendor', `${random(2)}`);
      gitIn(path, 'init', '-q', inner);
      writeFileSync(join(inner, 'notes.txt'), text);
      gitIn(inner, 'add', '-A');
      gitIn(inner, 'commit', '-q', '--allow-empty', '-m', 'inner');
      break;
    }
  }
}

function randomFrom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e37_79b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}
