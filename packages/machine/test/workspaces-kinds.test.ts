/** Workspaces of all kinds of repositories, and of hostile ones, with real git (B15, B23 to B30, B50, B80). */
import { execFileSync, spawnSync } from 'node:child_process';
import {
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
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GitWorld, gitWorld, repositoryAt, type TestRepository } from './git-fixture.ts';
import { type PlaceOptions, PROJECT, type WorkspacePlace, workspacePlace } from './workspace-fixture.ts';
import { gitIn, gitState } from './workspace-work.ts';

const hasLfs = spawnSync('git', ['lfs', 'version']).status === 0;
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
  const repository = repositoryAt(world.path(`kind-${++number}`, 'shop'));
  repository.commit('one', {
    'README.md': 'hello\n',
    'web/x.ts': 'x\n',
    'api/y.ts': 'y\n',
    '.gitignore': '*.secret\nlocal/\n',
  });
  return repository;
}

function placeAt(directory: string, options: PlaceOptions = {}): WorkspacePlace {
  const place = workspacePlace(world.path(`kind-${number}`, 'data'), directory, options);
  open.push(place);
  return place;
}

async function made(place: WorkspacePlace, spec: object = {}) {
  const { id } = await place.workspaces.create(PROJECT, { title: 'work', ...spec });
  return place.workspaces.ready(id);
}

function cloned(from: TestRepository, ...options: string[]): TestRepository {
  const to = repositoryAt(world.path(`kind-${number}`, 'clone'), false);
  execFileSync('git', ['clone', '-q', ...options, `file://${from.directory}`, to.directory]);
  return to;
}

interface KindCase {
  readonly make: () => { readonly directory: string; readonly spec?: object };
  readonly expected: (path: string, place: WorkspacePlace) => void;
}

const KINDS: Readonly<Record<string, KindCase>> = {
  'B29 a shallow clone': {
    make: () => {
      const origin = fresh();
      origin.commit('two', { 'two.txt': '2\n' });
      return { directory: cloned(origin, '--depth', '1').directory };
    },
    expected: (path) => expect(gitIn(path, 'rev-list', '--count', 'HEAD').trim()).toBe('1'),
  },
  'B25 a sparse checkout, which is inherited': {
    make: () => {
      const repository = fresh();
      repository.git('sparse-checkout', 'set', 'web');
      return { directory: repository.directory };
    },
    expected: (path) => {
      expect(existsSync(join(path, 'web/x.ts'))).toBe(true);
      expect(existsSync(join(path, 'api'))).toBe(false);
      expect(gitIn(path, 'status', '--porcelain')).toBe('');
    },
  },
  'B26 a folder of a repository': {
    make: () => ({ directory: join(fresh().directory, 'web') }),
    expected: (path, place) => {
      expect(existsSync(join(path, 'api/y.ts'))).toBe(true);
      expect(place.workspaces.list()[0]?.path).toBe(join(path, 'web'));
    },
  },
  'B30 a detached checkout, whose commit is the base': {
    make: () => {
      const repository = fresh();
      repository.commit('two', { 'two.txt': '2\n' });
      repository.git('checkout', '-q', '--detach', 'HEAD~1');
      return { directory: repository.directory };
    },
    expected: (path, place) => {
      expect(existsSync(join(path, 'two.txt'))).toBe(false);
      expect(gitIn(path, 'symbolic-ref', '--short', 'HEAD').trim()).toBe(place.workspaces.list()[0]?.branch);
      expect(place.workspaces.list()[0]?.base).toBeUndefined();
    },
  },
  'B24 LFS files that nobody has, which stay pointers and are noted': {
    make: () => {
      const repository = fresh();
      const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`;
      repository.commit('lfs', { '.gitattributes': '*.bin filter=lfs -text\n', 'big.bin': pointer });
      return { directory: repository.directory };
    },
    expected: (_, place) =>
      expect(place.workspaces.list()[0]?.notes).toEqual([
        '1 LFS file is a pointer. Run git lfs pull in a terminal.',
      ]),
  },
  'B29 a repository with SHA-256 ids': {
    make: () => {
      const repository = repositoryAt(world.path(`kind-${++number}`, 'shop'), false);
      repository.git('init', '-q', '--object-format=sha256');
      repository.commit('one', { 'README.md': 'hello\n' });
      return { directory: repository.directory };
    },
    expected: (path) => expect(gitIn(path, 'rev-parse', 'HEAD').trim()).toHaveLength(64),
  },
  'B26 a project that is itself a worktree': {
    make: () => {
      const directory = world.path(`kind-${number + 1}`, 'own worktree\nwith a line');
      fresh().git('worktree', 'add', '-q', '-b', 'own', directory);
      execFileSync('git', ['commit', '-q', '--allow-empty', '-m', 'own'], { cwd: directory });
      return { directory, spec: { base: 'own' } };
    },
    expected: (path) => expect(gitIn(path, 'log', '-1', '--format=%s').trim()).toBe('own'),
  },
  'B7 a repository whose branches differ only in case or are folders of others': {
    make: () => {
      const repository = fresh();
      repository.git('branch', 'WORK');
      repository.git('branch', 'work-2/deep');
      return { directory: repository.directory };
    },
    expected: (_, place) => expect(place.workspaces.list()[0]?.branch).toBe('work-3'),
  },
};

describe('kinds of repositories', () => {
  it.each(Object.entries(KINDS))('%s', async (_, { make, expected }) => {
    const { directory, spec } = make();
    const place = placeAt(directory, { settings: { branch: '{slug}' } });
    const { path } = await made(place, spec);
    expected(path, place);
    // Each of them can be archived and restored as well.
    const [row] = place.workspaces.list();
    const before = gitIn(path, 'status', '--porcelain', '--ignored');
    await place.workspaces.archive(row?.id ?? '');
    await place.workspaces.restore(row?.id ?? '');
    expect(gitIn(path, 'status', '--porcelain', '--ignored')).toBe(before);
    expected(path, place);
  });

  it('B30 a bare repository has none, and the refusal says why', async () => {
    const bare = repositoryAt(world.path(`kind-${++number}`, 'bare.git'), false);
    bare.git('init', '-q', '--bare');
    const place = placeAt(bare.directory);
    await expect(place.workspaces.create(PROJECT, { title: 'x' })).rejects.toThrow('no checkout');
    expect(await place.workspaces.plan(PROJECT)).toMatchObject({ refusal: expect.stringContaining('bare') });
    expect(place.store.workspaces.list()).toEqual([]);
  });

  it.skipIf(!hasLfs)('B24 LFS files have their contents, which come back from an archive', async () => {
    const repository = fresh();
    repository.git('lfs', 'install', '--local');
    repository.git('lfs', 'track', '*.bin');
    repository.commit('lfs', { 'big.bin': 'large\n'.repeat(1000) });
    expect(repository.git('show', 'HEAD:big.bin')).toMatch(/^version https:\/\/git-lfs/);
    const place = placeAt(repository.directory);
    const { id, path } = await made(place);
    expect(readFileSync(join(path, 'big.bin'), 'utf8')).toBe('large\n'.repeat(1000));
    expect(place.workspaces.list()[0]?.notes).toBeUndefined();
    writeFileSync(join(path, 'big.bin'), 'changed\n');
    gitIn(path, 'commit', '-qam', 'own');
    writeFileSync(join(path, 'big.bin'), 'and again\n');
    const before = gitState(path);
    await place.workspaces.archive(id);
    await place.workspaces.restore(id);
    expect(readFileSync(join(path, 'big.bin'), 'utf8')).toBe('and again\n');
    expect(gitState(path)).toEqual(before);
  });

  it('B36 a repository that was moved leaves its workspaces as they are, and they work again once it is back', async () => {
    const repository = fresh();
    const place = placeAt(repository.directory);
    const { id, path } = await made(place);
    writeFileSync(join(path, 'new.txt'), 'new\n');
    renameSync(repository.directory, `${repository.directory}-moved`);
    await expect(place.workspaces.status(id)).rejects.toMatchObject({ code: 'WORKSPACE_MISSING' });
    await expect(place.workspaces.archive(id)).rejects.toMatchObject({ code: 'WORKSPACE_MISSING' });
    await expect(place.workspaces.forget(id)).rejects.toMatchObject({ code: 'WORKSPACE_BUSY' });
    expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('new\n');
    renameSync(`${repository.directory}-moved`, repository.directory);
    expect(await place.workspaces.status(id)).toMatchObject({ branch: expect.any(String) });
  });

  it('B23 checks out submodules that the checkout has, from its own copies, with their remote', async () => {
    const library = repositoryAt(world.path(`kind-${++number}`, 'library'));
    library.commit('lib', { 'lib.ts': 'lib\n' });
    const repository = fresh();
    repository.git(
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      library.directory,
      'deps/lib',
    );
    repository.commit('add lib');
    // No longer reachable: everything comes from the checkout's copy.
    const away = `${library.directory}-away`;
    execFileSync('mv', [library.directory, away]);
    const place = placeAt(repository.directory);
    const { path } = await made(place);
    expect(readFileSync(join(path, 'deps/lib/lib.ts'), 'utf8')).toBe('lib\n');
    expect(gitIn(join(path, 'deps/lib'), 'remote', 'get-url', 'origin').trim()).toBe(library.directory);
    expect(gitIn(path, 'status', '--porcelain')).toBe('');
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(place.workspaces.list()[0]?.notes).toBeUndefined();
  });

  it('B23 notes a submodule whose commit is nowhere, and leaves all of them out without trust', async () => {
    const library = repositoryAt(world.path(`kind-${++number}`, 'library'));
    library.commit('lib', { 'lib.ts': 'lib\n' });
    const repository = fresh();
    repository.git(
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      library.directory,
      'lib',
    );
    repository.commit('add lib');
    const untrusted = placeAt(repository.directory, { trust: 'no' });
    const first = await made(untrusted);
    expect(readdirSync(join(first.path, 'lib'))).toEqual([]);
    expect(untrusted.workspaces.list()[0]?.notes?.[0]).toContain('until you trust the project: lib');
    await untrusted.close();
    open.length = 0;
    repository.git('update-index', '--cacheinfo', `160000,${'1'.repeat(40)},lib`);
    repository.git('commit', '-qm', 'a commit that nobody has');
    rmSync(library.directory, { recursive: true });
    const place = placeAt(repository.directory);
    await made(place);
    expect(place.workspaces.list()[1]?.notes?.[0]).toContain('could not be checked out: lib');
  });
});

describe('hostile repositories', () => {
  it.each([
    ['a folder above', '../*\n../../*.secret\n'],
    ['an absolute path', '/etc/passwd\n/etc/*\n'],
    ['everything', '*\n**/*\n'],
    ['negations and options', '!*\n--exclude=x\n-z\n'],
  ])(
    'B15 B80 .worktreeinclude with %s copies only ignored plain files of the project',
    async (_, patterns) => {
      const repository = fresh();
      const outside = world.path(`kind-${number}`, 'outside.secret');
      writeFileSync(outside, 'outside\n');
      repository.write('.worktreeinclude', patterns);
      repository.write('own.secret', 'own\n');
      symlinkSync(outside, join(repository.directory, 'link.secret'));
      execFileSync('mkfifo', [join(repository.directory, 'pipe.secret')]);
      mkdirSync(join(repository.directory, 'local'));
      symlinkSync('/etc', join(repository.directory, 'local', 'etc'));
      const { path } = await made(placeAt(repository.directory));
      const copied = readdirSync(path).filter((name) => name.endsWith('.secret'));
      expect(copied.filter((name) => name !== 'own.secret')).toEqual([]);
      expect(existsSync(join(path, 'local', 'etc'))).toBe(false);
      expect(existsSync(join(path, 'etc'))).toBe(false);
      expect(existsSync(join(path, '..', 'outside.secret'))).toBe(false);
    },
  );

  it.each(['--upload-pack=touch x', '-b', '--detach', 'a..b', 'a b', '@{-1}', 'refs/heads/x.lock', ''])(
    'B7 B80 refuses or renames the branch %j, and leaves nothing',
    async (branch) => {
      const repository = fresh();
      const place = placeAt(repository.directory);
      await expect(made(place, { branch })).rejects.toThrow();
      expect(repository.git('for-each-ref', '--format=%(refname)', 'refs/heads/').trim()).toBe(
        'refs/heads/main',
      );
      expect(repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    },
  );

  it.each(['--output=x', '-h', 'main; touch x', '$(touch x)'])(
    'B4 B80 a base that looks like an option or a command is not found: %j',
    async (base) => {
      const place = placeAt(fresh().directory);
      await expect(made(place, { base })).rejects.toThrow(/not found/);
    },
  );

  it('B23 B80 never runs an update command of a submodule, nor its hooks', async () => {
    const library = repositoryAt(world.path(`kind-${++number}`, 'library'));
    library.commit('lib', { 'lib.ts': 'lib\n' });
    const repository = fresh();
    repository.git(
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      library.directory,
      'lib',
    );
    repository.commit('add lib');
    const proof = world.path(`proof-${number}`);
    repository.git('config', 'submodule.lib.update', `!touch ${proof}`);
    writeFileSync(
      join(repository.directory, '.git/modules/lib/hooks/post-checkout'),
      `#!/bin/sh\ntouch ${proof}\n`,
      { mode: 0o755 },
    );
    const { path } = await made(placeAt(repository.directory));
    expect(existsSync(join(path, 'lib/lib.ts'))).toBe(true);
    expect(existsSync(proof)).toBe(false);
  });
});
