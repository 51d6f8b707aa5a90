/** Workspaces with real git: creation, archiving and restoring (B1 to B36, B60 to B71). */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { findRepository } from '@tugdeck/trees/find-repository';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Repository } from '../src/git/repository.ts';
import { readWorktreeList } from '../src/git/worktrees.ts';
import { type GitWorld, gitWorld, repositoryAt, type TestRepository } from './git-fixture.ts';
import { type PlaceOptions, PROJECT, type WorkspacePlace, workspacePlace } from './workspace-fixture.ts';

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

function fresh(): TestRepository {
  const repository = repositoryAt(world.path(`case-${++number}`, 'shop'));
  repository.commit('one', {
    'README.md': 'hello\n',
    'src/a.ts': 'a\n',
    '.gitignore': '.env\nnode_modules/\ndist/\n*.sqlite\n',
  });
  return repository;
}

function placeOf(repository: TestRepository, options: PlaceOptions = {}): WorkspacePlace {
  const place = workspacePlace(join(repository.directory, '..', 'data'), repository.directory, options);
  open.push(place);
  return place;
}

const gitIn = (directory: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

async function made(place: WorkspacePlace, spec: Parameters<WorkspacePlace['workspaces']['create']>[1] = {}) {
  const { id } = await place.workspaces.create(PROJECT, { title: 'Fix the login test', ...spec });
  return place.workspaces.ready(id);
}

const branches = (repository: TestRepository) =>
  repository.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/').trim().split('\n');

describe('creating', () => {
  it('B7 B8 B10 B14 creates a locked worktree outside of the project, on a new branch without an upstream', async () => {
    const repository = fresh();
    const place = placeOf(repository);
    const row = await made(place);
    expect(row.path.startsWith(place.home)).toBe(true);
    expect(row.branch).toMatch(/^[a-z0-9-]+\/fix-the-login-test$/);
    expect(gitIn(row.path, 'symbolic-ref', '--short', 'HEAD').trim()).toBe(row.branch);
    expect(readFileSync(join(row.path, 'src/a.ts'), 'utf8')).toBe('a\n');
    expect(readFileSync(join(repository.directory, '.git/config'), 'utf8')).not.toContain('[branch');
    expect(repository.git('worktree', 'list', '--porcelain')).toContain(`locked tugdeck:m1:${row.id}`);
  });

  it('B4 starts from the fetched remote branch when the local one is behind, without moving it', async () => {
    const repository = fresh();
    const { clone, remote } = cloned(repository);
    const old = clone.git('rev-parse', 'HEAD').trim();
    const next = remote.commit('two', { 'b.txt': 'b\n' });
    const row = await made(placeOf(clone));
    expect(row).toMatchObject({ baseRef: 'refs/heads/main', baseCommit: next, notes: [] });
    expect(clone.git('rev-parse', 'main').trim()).toBe(old);
  });

  it('B4 starts from local commits that are not pushed, and asks when the branches have diverged', async () => {
    const { clone, remote } = cloned(fresh());
    const own = clone.commit('own', { 'own.txt': 'x\n' });
    const place = placeOf(clone);
    expect(await made(place)).toMatchObject({ baseCommit: own });
    const other = remote.commit('two', { 'b.txt': 'b\n' });
    const { id } = await place.workspaces.create(PROJECT, { title: 'again' });
    await expect(place.workspaces.ready(id)).rejects.toMatchObject({ code: 'WORKSPACE_MISSING' });
    expect(place.workspaces.list().find((row) => row.id === id)?.fault).toContain('have diverged');
    expect(await made(place, { base: 'origin/main' })).toMatchObject({ baseCommit: other });
    expect(await made(place, { base: 'heads/main' }).catch(({ message }) => message)).toContain(
      'have diverged',
    );
  });

  it('B4 uses the last known state when the remote is not reachable, and says so', async () => {
    const { clone, remote } = cloned(fresh());
    const known = clone.git('rev-parse', 'origin/main').trim();
    execFileSync('mv', [remote.directory, `${remote.directory}-gone`]);
    const row = await made(placeOf(clone));
    expect(row.baseCommit).toBe(known);
    expect(row.notes.join()).toContain('could not be fetched');
  });

  it('B50 does not use the network in a project that is not trusted, nor with fetch off', async () => {
    const { clone, remote } = cloned(fresh());
    const known = clone.git('rev-parse', 'origin/main').trim();
    remote.commit('two', { 'b.txt': 'b\n' });
    expect((await made(placeOf(clone, { trust: 'no' }))).baseCommit).toBe(known);
    await open.pop()?.close();
    expect((await made(placeOf(clone, { settings: { fetch: false } }))).baseCommit).toBe(known);
  });

  it('B50 never runs a transport or an ssh command that an untrusted repository names', async () => {
    const { clone } = cloned(fresh());
    const proof = world.path(`proof-${number}`);
    clone.git('config', 'core.sshCommand', `touch ${proof}`);
    clone.git('config', 'remote.origin.url', 'ssh://nobody@127.0.0.1/x');
    const place = placeOf(clone, { trust: 'no' });
    const { id } = await place.workspaces.create(PROJECT, { title: 'x' });
    await place.workspaces.ready(id).catch(() => undefined);
    expect(existsSync(proof)).toBe(false);
  });

  it('B50 refuses ext:: as a transport, also behind insteadOf and in a trusted project', async () => {
    const { clone } = cloned(fresh());
    const proof = world.path(`proof-${number}`);
    clone.git(
      'config',
      `url.ext::sh -c touch% ${proof}.insteadOf`,
      clone.git('config', 'remote.origin.url').trim(),
    );
    const row = await made(placeOf(clone));
    expect(row.notes.join()).toContain('could not be fetched');
    expect(existsSync(proof)).toBe(false);
  });

  it('B7 gives a second workspace of the same name another folder and branch', async () => {
    const repository = fresh();
    repository.git('branch', 'ME');
    const place = placeOf(repository, { settings: { branch: 'me/{slug}' } });
    const [first, second] = [await made(place), await made(place)];
    expect([first.name, second.name]).toEqual(['fix-the-login-test', 'fix-the-login-test-2']);
    expect([first.branch, second.branch]).toEqual(['me-fix-the-login-test', 'me-fix-the-login-test-2']);
  });

  it('B7 B80 refuses a branch name that git could read as an option', async () => {
    const repository = fresh();
    const place = placeOf(repository);
    for (const branch of ['--upload-pack=touch x', '-b', 'a..b', 'x@{1}', '../../x']) {
      const { id } = await place.workspaces.create(PROJECT, { title: 'x', branch });
      await expect(place.workspaces.ready(id)).rejects.toThrow('Invalid branch name');
    }
    for (const base of ['--output=/tmp/x', '-x', 'nothing-like-it']) {
      const { id } = await place.workspaces.create(PROJECT, { title: 'x', base });
      await expect(place.workspaces.ready(id)).rejects.toThrow('could not be created');
    }
    expect(branches(repository)).toEqual(['main']);
  });

  it('B9 takes an existing branch, but not one that is checked out', async () => {
    const repository = fresh();
    repository.git('branch', 'topic');
    const place = placeOf(repository);
    expect(await made(place, { branch: 'topic' })).toMatchObject({ branch: 'topic', madeBranch: false });
    await expect(made(place, { branch: 'main' })).rejects.toThrow('already checked out in');
  });

  it('B10 B12 never uses a folder that exists, and leaves nothing after a failed checkout', async () => {
    const repository = fresh();
    const place = placeOf(repository);
    const first = await made(place, { title: 'x' });
    const neighbor = join(first.path, '..', 'taken');
    mkdirSync(neighbor);
    writeFileSync(join(neighbor, 'mine'), 'mine');
    expect((await made(place, { title: 'taken' })).name).toBe('taken-2');
    expect(readdirSync(neighbor)).toEqual(['mine']);
    // A blob that is gone makes git fail in the middle of the checkout.
    const id = repository.git('rev-parse', 'HEAD:src/a.ts').trim();
    execFileSync('rm', ['-f', join(repository.directory, '.git/objects', id.slice(0, 2), id.slice(2))]);
    const before = [branches(repository), repository.git('worktree', 'list')];
    const broken = await place.workspaces.create(PROJECT, { title: 'broken' });
    await expect(place.workspaces.ready(broken.id)).rejects.toMatchObject({ code: 'WORKSPACE_MISSING' });
    expect([branches(repository), repository.git('worktree', 'list')]).toEqual(before);
    expect(existsSync(broken.path)).toBe(false);
  });

  it('B15 copies ignored env files with their modes, and nothing else', async () => {
    const repository = fresh();
    repository.write('.env', 'A=1\n');
    execFileSync('chmod', ['600', join(repository.directory, '.env')]);
    repository.write('sub/.env', 'B=2\n');
    repository.write('data.sqlite', 'no');
    repository.write('untracked.txt', 'no');
    const row = await made(placeOf(repository));
    expect(readFileSync(join(row.path, 'sub/.env'), 'utf8')).toBe('B=2\n');
    expect(statSync(join(row.path, '.env')).mode & 0o777).toBe(0o600);
    expect(['data.sqlite', 'untracked.txt'].filter((name) => existsSync(join(row.path, name)))).toEqual([]);
    expect(row.notes).toEqual(['Copied .env, sub/.env.']);
  });

  it('B15 B80 copies nothing from outside, whatever .worktreeinclude and links name', async () => {
    const repository = fresh();
    writeFileSync(join(repository.directory, '..', 'secret.env'), 'secret');
    repository.write('.gitignore', '.env*\nout/\nlink.env\npipe.env\n');
    repository.write(
      '.worktreeinclude',
      `../secret.env\n/../secret.env\n${world.path('home')}/.gitconfig\n*.env\nout/\n`,
    );
    repository.commit('include');
    symlinkSync('../secret.env', join(repository.directory, 'link.env'));
    symlinkSync('..', join(repository.directory, 'out'));
    execFileSync('mkfifo', [join(repository.directory, 'pipe.env')]);
    const row = await made(placeOf(repository));
    expect(readdirSync(row.path).sort()).toEqual([
      '.git',
      '.gitignore',
      '.worktreeinclude',
      'README.md',
      'src',
    ]);
    expect(readdirSync(join(row.path, '..'))).toEqual([row.name]);
  });

  it('B15 B80 does not write through a link that the base has in place of a folder', async () => {
    const repository = fresh();
    const outside = world.path(`outside-${number}`);
    mkdirSync(outside);
    repository.git('checkout', '-q', '-b', 'hostile');
    symlinkSync(outside, join(repository.directory, 'sub'));
    repository.commit('link');
    repository.git('checkout', '-q', 'main');
    repository.write('sub/.env', 'A=1\n');
    const row = await made(placeOf(repository), { base: 'hostile' });
    expect(readdirSync(outside)).toEqual([]);
    expect(row.notes.join()).toContain('could not be copied');
  });

  it('B15 reads .worktreeinclude only in a trusted project', async () => {
    const repository = fresh();
    repository.commit('include', { '.worktreeinclude': 'data.sqlite\n' });
    repository.write('data.sqlite', 'x');
    expect(existsSync(join((await made(placeOf(repository, { trust: 'no' }))).path, 'data.sqlite'))).toBe(
      false,
    );
    await open.pop()?.close();
    expect(existsSync(join((await made(placeOf(repository))).path, 'data.sqlite'))).toBe(true);
  });

  it('B16 links configured folders to those of the checkout', async () => {
    const repository = fresh();
    repository.write('node_modules/x/index.js', '1');
    const row = await made(placeOf(repository, { settings: { link: ['node_modules', '../..', 'src'] } }));
    expect(readFileSync(join(row.path, 'node_modules/x/index.js'), 'utf8')).toBe('1');
    expect(row.notes).toEqual(['Shared with the checkout: node_modules.']);
  });

  it('B17 keeps a workspace whose setup fails, with the exit code', async () => {
    const ran: string[] = [];
    const setup = async (_row: unknown, command: string) => {
      ran.push(command);
      return 3;
    };
    const place = placeOf(fresh(), { settings: { setup: 'npm ci' }, use: { setup } });
    expect(await made(place)).toMatchObject({ state: 'ready', fault: 'Setup failed with exit code 3.' });
    expect(await made(place, { noSetup: true })).toMatchObject({ fault: undefined });
    expect(ran).toEqual(['npm ci']);
  });

  it('B13 is refused with both figures if the disk has too little room, and leaves nothing', async () => {
    const repository = fresh();
    const place = placeOf(repository, { freeBytes: async () => 512 * 1024 * 1024 });
    const before = branches(repository);
    await expect(made(place)).rejects.toThrow(/needs 1\.0 GB .* 0\.5 GB is available/);
    expect(branches(repository)).toEqual(before);
    expect(readdirSync(place.home).flatMap((owner) => readdirSync(join(place.home, owner)))).toEqual([]);
    expect(repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it.each(['127.0.0.1', '::1'])(
    'B20 gives each workspace ten ports that nothing uses on %s',
    async (host) => {
      const place = placeOf(fresh());
      const first = await made(place);
      const taken = createServer();
      // Browsers resolve `localhost` to both addresses.
      const isThere = await new Promise<boolean>((resolve) => {
        taken.once('error', () => resolve(false));
        taken.listen(17_000 + ((first.slot ?? 0) + 1) * 10 + 3, host, () => resolve(true));
      });
      if (!isThere && host === '::1') return; // This machine has no IPv6.
      try {
        const second = await made(place);
        expect(second.slot).toBeGreaterThan((first.slot ?? 0) + 1);
      } finally {
        taken.close();
      }
    },
  );

  it('B14 B20 B89 two servers with one repository leave each other’s workspaces alone', async () => {
    const repository = fresh();
    const one = placeOf(repository);
    const other = workspacePlace(world.path(`other-${number}`), repository.directory, { machine: 'm2' });
    open.push(other);
    const [first, second] = await Promise.all([made(one), made(other)]);
    expect(first.path).not.toBe(second.path);
    expect(first.branch).not.toBe(second.branch);
    expect(await one.workspaces.found(PROJECT)).toMatchObject([
      { path: second.path, lock: `tugdeck:m2:${second.id}` },
    ]);
    await expect(one.workspaces.adopt(PROJECT, second.path)).rejects.toMatchObject({
      code: 'WORKSPACE_UNSAFE',
    });
    // Each archives its own, at the same time.
    await Promise.all([one.workspaces.archive(first.id), other.workspaces.archive(second.id)]);
    await one.workspaces.restore(first.id);
    expect(repository.git('worktree', 'list')).toContain(first.path);
    expect(repository.git('worktree', 'list')).not.toContain(second.path);
  });

  it('B79 waits for the lock of another git, then names it with its age, and never deletes it', async () => {
    const { directory } = fresh();
    const found = await findRepository(directory);
    if (found.kind !== 'repository') throw new Error('no repository');
    const lock = join(directory, '.git/index.lock');
    writeFileSync(lock, '');
    const hourAgo = Date.now() / 1000 - 3600;
    utimesSync(lock, hourAgo, hourAgo);
    const repository = new Repository(found.place, () => true);
    await expect(repository.write(['add', '--all'])).rejects.toThrow(/index\.lock has existed for 60 min/);
    expect(existsSync(lock)).toBe(true);
    const added = repository.write(['add', '--all']);
    rmSync(lock);
    await added;
  });

  it('B23 B24 B25 B26 B29 works in sparse, shallow and detached checkouts and in a folder of a repository', async () => {
    const repository = fresh();
    repository.commit('web', { 'web/x.ts': 'x\n', 'api/y.ts': 'y\n' });
    const shallow = repositoryAt(world.path(`case-${number}`, 'shallow'), false);
    execFileSync('git', ['clone', '-q', '--depth', '1', `file://${repository.directory}`, shallow.directory]);
    shallow.git('sparse-checkout', 'set', 'web');
    shallow.git('checkout', '-q', '--detach');
    const place = workspacePlace(world.path(`case-${number}`, 'data2'), join(shallow.directory, 'web'));
    open.push(place);
    const row = await made(place, { base: 'HEAD' });
    expect(row).toMatchObject({ folder: 'web', baseRef: undefined });
    expect(place.workspaces.list()[0]?.path).toBe(join(row.path, 'web'));
    expect(existsSync(join(row.path, 'api'))).toBe(false);
  });

  it('B30 explains why a repository without a commit has no workspaces', async () => {
    const empty = repositoryAt(world.path(`case-${++number}`, 'shop'));
    const place = placeOf(empty);
    const { id } = await place.workspaces.create(PROJECT, { title: 'x' });
    await expect(place.workspaces.ready(id)).rejects.toThrow('no commit yet');
  });

  it('B31 runs no hooks', async () => {
    const repository = fresh();
    const proof = world.path(`hook-${number}`);
    for (const hook of ['post-checkout', 'reference-transaction']) {
      writeFileSync(join(repository.directory, '.git/hooks', hook), `#!/bin/sh\ntouch ${proof}\n`, {
        mode: 0o755,
      });
    }
    await made(placeOf(repository));
    expect(existsSync(proof)).toBe(false);
  });

  it('B78 lists worktrees again if git found one that another git was creating', async () => {
    const { directory } = fresh();
    const found = await findRepository(directory);
    if (found.kind !== 'repository') throw new Error('no repository');
    const entry = join(directory, '.git', 'worktrees', 'half');
    mkdirSync(entry, { recursive: true });
    writeFileSync(join(entry, 'commondir'), '');
    writeFileSync(join(entry, 'gitdir'), `${join(directory, 'half', '.git')}\n`);
    writeFileSync(join(entry, 'HEAD'), 'ref: refs/heads/half\n');
    const repository = new Repository(found.place, () => true);
    let failures = 0;
    const list = await readWorktreeList({
      readText: (args) =>
        repository.readText(args).catch((error: unknown) => {
          failures += 1;
          rmSync(entry, { recursive: true });
          throw error;
        }),
    });
    expect(failures).toBe(1);
    expect(list).toMatch(/^worktree /);
  });

  it('B20 B37 names and ports are in the order in which workspaces were requested', async () => {
    const place = placeOf(fresh());
    const rows = await Promise.all([1, 2, 3, 4].map(() => made(place)));
    const names = rows.map(({ name }) => name);
    expect(names).toEqual(['', '-2', '-3', '-4'].map((end) => `fix-the-login-test${end}`));
    const slots = rows.map(({ slot = -1 }) => slot);
    expect(slots).toEqual(slots.toSorted((a, b) => a - b));
  });

  it('B20 B78 creates eight at once, without a clash', async () => {
    const repository = fresh();
    const place = placeOf(repository);
    const rows = await Promise.all(Array.from({ length: 8 }, () => made(place, { title: 'same words' })));
    expect(new Set(rows.map(({ path }) => path)).size).toBe(8);
    expect(new Set(rows.map(({ branch }) => branch)).size).toBe(8);
    expect(new Set(rows.map(({ slot }) => slot)).size).toBe(8);
    expect(repository.git('worktree', 'list').trim().split('\n')).toHaveLength(9);
  });
});

/** A clone of the repository, which is its remote. */
function cloned(remote: TestRepository): { clone: TestRepository; remote: TestRepository } {
  const clone = repositoryAt(world.path(`case-${number}`, 'clone'), false);
  execFileSync('git', ['clone', '-q', remote.directory, clone.directory]);
  return { clone, remote };
}
