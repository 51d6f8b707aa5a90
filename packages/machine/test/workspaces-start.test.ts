/** Planning, setup, changes by hand and restoring of workspaces (B6, B36, B81 to B88). */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { TerminalInfo } from '@tugdeck/protocol/terminal/terminal';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
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
  const repository = repositoryAt(world.path(`start-${++number}`, 'shop'));
  repository.commit('one', {
    'README.md': 'hello\n',
    'src/a.ts': 'a\n',
    'src/b.ts': 'b\n',
    '.gitignore': '.env\n',
  });
  return repository;
}

function placeOf(repository: TestRepository, options: PlaceOptions = {}): WorkspacePlace {
  const place = workspacePlace(join(repository.directory, '..', 'data'), repository.directory, options);
  open.push(place);
  return place;
}

async function made(place: WorkspacePlace, spec: object = {}): Promise<string> {
  const { id } = await place.workspaces.create(PROJECT, { title: 'work', ...spec });
  return (await place.workspaces.ready(id)).path;
}

const gitIn = (directory: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const rowOf = (place: WorkspacePlace) => place.workspaces.list()[0];

it('B82 plans a workspace with base, commit, distance and branch, and creates nothing', async () => {
  const repository = fresh();
  repository.git('branch', 'old');
  repository.commit('two', { 'two.txt': '2\n' });
  repository.write('new.txt', 'x\n');
  const place = placeOf(repository, { settings: { branch: 'me/{slug}', setup: 'npm ci' } });
  expect(await place.workspaces.plan(PROJECT)).toMatchObject({
    start: 'auto',
    base: 'main',
    baseCommit: repository.git('rev-parse', 'main').trim(),
    ...{ ahead: 0, behind: 0, branch: 'me/{slug}', changes: 1, setup: 'npm ci', fetches: false },
    bases: expect.arrayContaining(['main', 'old']),
  });
  expect(await place.workspaces.plan(PROJECT, 'old')).toMatchObject({ base: 'old', ahead: 0, behind: 1 });
  expect(existsSync(place.home)).toBe(false);
});

it.each([
  [
    'a folder outside git',
    (directory: string) => mkdirSync(directory, { recursive: true }),
    /git repository/,
  ],
  [
    'a repository without a commit',
    (directory: string) => {
      mkdirSync(directory, { recursive: true });
      gitIn(directory, 'init', '-q');
    },
    /no commit yet/,
  ],
  [
    'a bare repository',
    (directory: string) => {
      mkdirSync(directory, { recursive: true });
      gitIn(directory, 'init', '-q', '--bare');
    },
    /bare repository/,
  ],
])('B30 B81 %s starts in its own directory, and the plan says why', async (_, make, reason) => {
  const directory = world.path(`plain-${++number}`, 'shop');
  make(directory);
  const place = workspacePlace(world.path(`plain-data-${number}`), directory);
  open.push(place);
  expect((await place.workspaces.plan(PROJECT)).refusal).toMatch(reason);
});

it('B6 brings a copy of the uncommitted changes, and leaves the checkout as it is', async () => {
  const repository = fresh();
  repository.write('src/a.ts', 'changed\n');
  repository.write('src/new.ts', 'new\n');
  repository.git('add', 'src/new.ts');
  rmSync(join(repository.directory, 'src/b.ts'));
  const before = repository.git('status', '--porcelain');
  const place = placeOf(repository);
  const path = await made(place, { withChanges: true });
  expect(readFileSync(join(path, 'src/a.ts'), 'utf8')).toBe('changed\n');
  expect(readFileSync(join(path, 'src/new.ts'), 'utf8')).toBe('new\n');
  expect(existsSync(join(path, 'src/b.ts'))).toBe(false);
  expect(repository.git('status', '--porcelain')).toBe(before);
  expect(rowOf(place)?.notes).toContain('Changed files copied from your checkout: 3.');
  const without = await made(place);
  expect(gitIn(without, 'status', '--porcelain')).toBe('');
});

it('B6 names files that the base changed too, and keeps those of the base', async () => {
  const repository = fresh();
  repository.git('checkout', '-q', '-b', 'other');
  repository.commit('other', { 'src/a.ts': 'of the base\n' });
  repository.git('checkout', '-q', 'main');
  repository.write('src/a.ts', 'mine\n');
  const place = placeOf(repository);
  const path = await made(place, { withChanges: true, base: 'other' });
  expect(readFileSync(join(path, 'src/a.ts'), 'utf8')).toBe('of the base\n');
  expect(rowOf(place)?.notes?.join(' ')).toContain('because the base changed them too: src/a.ts');
});

it('B85 a setup can be skipped while it runs, and run again after it failed', async () => {
  const codes: (number | undefined)[] = [];
  let end: (code: number) => void = () => undefined;
  const place = placeOf(fresh(), {
    settings: { setup: 'npm ci' },
    use: {
      setup: (_row, _command, again) => {
        codes.push(again ? 1 : 0);
        return new Promise((resolve) => {
          end = resolve;
        });
      },
    },
  });
  const { id } = await place.workspaces.create(PROJECT, { title: 'work' });
  await expect.poll(() => rowOf(place)?.step).toBe('setup');
  place.workspaces.runs.setup(id, 'skip');
  expect((await place.workspaces.ready(id)).fault).toBeUndefined();
  place.workspaces.runs.setup(id, 'run');
  expect(rowOf(place)).toMatchObject({ state: 'ready', step: 'setup' });
  end(3);
  await expect.poll(() => rowOf(place)?.fault).toBe('Setup failed with exit code 3.');
  place.workspaces.runs.setup(id, 'run');
  end(0);
  await expect.poll(() => rowOf(place)?.step).toBeUndefined();
  expect(rowOf(place)?.fault).toBeUndefined();
  expect(codes).toEqual([0, 1, 1]);
});

it('B36 shows a branch that was switched by hand, and no longer deletes it with the workspace', async () => {
  const place = placeOf(fresh());
  const path = await made(place);
  const id = rowOf(place)?.id ?? '';
  const branch = rowOf(place)?.branch;
  gitIn(path, 'switch', '-q', '-c', 'mine');
  expect(await place.workspaces.status(id)).toMatchObject({ branch: 'mine', switchedFrom: branch, ahead: 0 });
  expect(rowOf(place)?.branch).toBe('mine');
  expect((await place.workspaces.contents(id)).deletesBranch).toBe(false);
});

it('B87 creates a branch again that was deleted by hand, at its last commit', async () => {
  const repository = fresh();
  const place = placeOf(repository);
  const path = await made(place);
  const id = rowOf(place)?.id ?? '';
  gitIn(path, 'commit', '-q', '--allow-empty', '-m', 'own');
  const commit = gitIn(path, 'rev-parse', 'HEAD').trim();
  repository.git('update-ref', '-d', `refs/heads/${rowOf(place)?.branch}`);
  expect(await place.workspaces.status(id)).toMatchObject({ branchGone: true, branch: rowOf(place)?.branch });
  await place.workspaces.recreateBranch(id);
  expect(gitIn(path, 'rev-parse', 'HEAD').trim()).toBe(commit);
  expect((await place.workspaces.status(id)).branchGone).toBeUndefined();
  await expect(place.workspaces.recreateBranch(id)).rejects.toMatchObject({ code: 'GIT_CHANGED' });
});

it('B86 restores a folder that was deleted by hand, with staged files and its commits', async () => {
  const repository = fresh();
  repository.write('.env', 'A=1\n');
  const place = placeOf(repository);
  const path = await made(place);
  const id = rowOf(place)?.id ?? '';
  gitIn(path, 'commit', '-q', '--allow-empty', '-m', 'own');
  writeFileSync(join(path, 'staged.txt'), 'staged\n');
  gitIn(path, 'add', 'staged.txt');
  renameSync(path, `${path}-away`);
  expect(rowOf(place)?.state).toBe('missing');
  await place.workspaces.restore(id);
  expect((await place.workspaces.ready(id)).state).toBe('ready');
  expect(gitIn(path, 'log', '-1', '--format=%s').trim()).toBe('own');
  expect(gitIn(path, 'status', '--porcelain').trim()).toBe('A  staged.txt');
  expect(readFileSync(join(path, '.env'), 'utf8')).toBe('A=1\n');
});

it('B86 restores a folder while another program, such as an editor, holds the lock of its index', async () => {
  const repository = fresh();
  const place = placeOf(repository);
  const path = await made(place);
  const id = rowOf(place)?.id ?? '';
  const lock = join(gitIn(path, 'rev-parse', '--absolute-git-dir').trim(), 'index.lock');
  rmSync(path, { recursive: true });
  writeFileSync(lock, '');
  await place.workspaces.restore(id);
  await place.workspaces.ready(id);
  expect(readFileSync(join(path, 'README.md'), 'utf8')).toBe('hello\n');
  rmSync(lock);
  expect(gitIn(path, 'status', '--porcelain')).toBe('');
});

it('B65 B86 the next server restores a folder that a stopped one had only created', async () => {
  const place = placeOf(fresh());
  const path = await made(place);
  const { id = '' } = rowOf(place) ?? {};
  rmSync(path, { recursive: true });
  mkdirSync(path);
  const op = { kind: 'restore', step: 'link', data: { isMissing: true } } as const;
  place.store.workspaces.save({ ...place.workspaces.get(id), state: 'restoring', op });
  place.workspaces.resume();
  await place.workspaces.ready(id);
  expect(readFileSync(join(path, 'README.md'), 'utf8')).toBe('hello\n');
  expect(gitIn(path, 'status', '--porcelain')).toBe('');
});

it('B86 restores a folder whose entry was pruned, and refuses one whose branch is gone too', async () => {
  const repository = fresh();
  const place = placeOf(repository);
  const path = await made(place);
  const id = rowOf(place)?.id ?? '';
  gitIn(path, 'commit', '-q', '--allow-empty', '-m', 'own');
  const prune = () => {
    rmSync(path, { recursive: true });
    repository.git('worktree', 'unlock', path);
    repository.git('worktree', 'prune');
  };
  prune();
  await place.workspaces.restore(id);
  await place.workspaces.ready(id);
  expect(gitIn(path, 'log', '-1', '--format=%s').trim()).toBe('own');
  prune();
  repository.git('branch', '-D', rowOf(place)?.branch ?? '');
  await expect(place.workspaces.restore(id)).rejects.toMatchObject({ code: 'GIT_FAILED' });
  expect(rowOf(place)?.state).toBe('missing');
  expect(existsSync(path)).toBe(false);
});

it('B88 says that hooks of a relative folder are missing in the workspace', async () => {
  const repository = fresh();
  mkdirSync(join(repository.directory, '.hooks'));
  repository.git('config', 'core.hooksPath', '.hooks');
  const place = placeOf(repository);
  const path = await made(place);
  const id = rowOf(place)?.id ?? '';
  expect((await place.workspaces.status(id)).missingHooks).toBe('.hooks');
  mkdirSync(join(path, '.hooks'));
  expect((await place.workspaces.status(id)).missingHooks).toBeUndefined();
});

it('B89 lists worktrees that others created, and makes one a workspace only on request', async () => {
  const repository = fresh();
  const [mine, locked] = [world.path(`theirs-${number}`), world.path(`locked-${number}`)];
  repository.git('worktree', 'add', '-q', '-b', 'theirs', mine);
  repository.git('worktree', 'add', '-q', '--detach', locked);
  repository.git('worktree', 'lock', '--reason', 'other tool', locked);
  const place = placeOf(repository);
  await made(place);
  expect(await place.workspaces.found(PROJECT)).toEqual([
    { path: locked, commit: expect.any(String), lock: 'other tool', isMissing: false },
    { path: mine, branch: 'theirs', commit: expect.any(String), isMissing: false },
  ]);
  writeFileSync(join(mine, 'README.md'), 'changed\n');
  await expect(place.workspaces.adopt(PROJECT, locked)).rejects.toMatchObject({ code: 'WORKSPACE_UNSAFE' });
  await expect(place.workspaces.adopt(PROJECT, repository.directory)).rejects.toMatchObject({
    code: 'WORKSPACE_NOT_FOUND',
  });
  const { id } = await place.workspaces.adopt(PROJECT, mine);
  expect(place.workspaces.get(id)).toMatchObject({ path: mine, branch: 'theirs', madeBranch: false });
  expect(await place.workspaces.found(PROJECT)).toMatchObject([{ path: locked }]);
  await place.workspaces.archive(id);
  expect(existsSync(mine)).toBe(false);
  expect(repository.git('branch', '--list', 'theirs')).not.toBe('');
  await place.workspaces.restore(id);
  expect(readFileSync(join(mine, 'README.md'), 'utf8')).toBe('changed\n');
});

it('B70 measures worktrees, and frees ignored folders that programs create again, nothing else', async () => {
  const repository = fresh();
  repository.commit('ignore', { '.gitignore': '.env\nnode_modules/\nlocal/\n' });
  const place = placeOf(repository);
  const path = await made(place);
  const id = rowOf(place)?.id ?? '';
  for (const folder of ['node_modules/x', 'local', 'src/node_modules'])
    mkdirSync(join(path, folder), { recursive: true });
  writeFileSync(join(path, 'node_modules/x/index.js'), 'x'.repeat(2_000_000));
  writeFileSync(join(path, 'src/node_modules/y.js'), 'y'.repeat(10_000));
  writeFileSync(join(path, 'local/notes.txt'), 'mine\n');
  const [size] = await place.workspaces.sizes(PROJECT);
  expect(size?.ignored).toBeGreaterThan(2_000_000);
  expect(size?.worktree).toBeGreaterThan(size?.ignored ?? 0);
  expect(await place.workspaces.freeIgnored(id)).toBe(size?.ignored);
  expect(existsSync(join(path, 'node_modules'))).toBe(false);
  expect(existsSync(join(path, 'src/node_modules'))).toBe(false);
  expect(readFileSync(join(path, 'local/notes.txt'), 'utf8')).toBe('mine\n');
  // A stopped server leaves a folder beside a worktree, which the next one deletes; also beside one that it adopted.
  const adopted = world.path('elsewhere', 'adopted');
  repository.git('worktree', 'add', '-q', '-b', 'adopted', adopted);
  await place.workspaces.adopt(PROJECT, adopted);
  const left = [path, adopted].map((one) => join(one, '..', `.tugdeck-freed-${randomUUID()}`));
  for (const folder of left) mkdirSync(folder);
  const mine = join(adopted, '..', '.tugdeck-freed-mine');
  mkdirSync(mine);
  await place.workspaces.empty();
  expect(left.filter((folder) => existsSync(folder))).toEqual([]);
  expect(existsSync(mine)).toBe(true);
});

it('B70 frees nothing while an agent works', async () => {
  const place = placeOf(fresh(), { use: { isWorking: () => true } });
  await made(place);
  await expect(place.workspaces.freeIgnored(rowOf(place)?.id ?? '')).rejects.toMatchObject({
    code: 'WORKSPACE_BUSY',
  });
});

it('B71 proposes to archive some at the configured number, and still creates one', async () => {
  const place = placeOf(fresh(), { settings: { most: 1 } });
  expect((await place.workspaces.plan(PROJECT)).tooMany).toBeUndefined();
  await made(place);
  expect((await place.workspaces.plan(PROJECT)).tooMany).toBe(1);
  await made(place, { title: 'another' });
  expect(place.workspaces.list()).toHaveLength(2);
});

it('B21 B22 a run command starts in a terminal, and not if another program has its port', async () => {
  const started: string[] = [];
  const running = new Map<string, string>();
  const place = placeOf(fresh(), {
    settings: { run: { dev: 'npm run dev' } },
    use: {
      runs: {
        terminals: async (workspace) =>
          [...running].flatMap(([id, of]) =>
            of === workspace
              ? [{ id, project: of, state: { type: 'running' } } as unknown as TerminalInfo]
              : [],
          ),
        start: async (row, command, { terminal }) => {
          started.push(command);
          running.set(terminal, row.id);
        },
        stop: async (terminal) => void running.delete(terminal),
      },
    },
  });
  await made(place);
  const { id = '', port = 0 } = rowOf(place) ?? {};
  const squatter = createServer();
  await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve));
  const refusal = await place.workspaces.runs
    .start(id, { name: 'dev' })
    .catch((error: Error) => error.message);
  expect(refusal).toContain(`Port ${port} is used by`);
  expect(refusal).toContain(`(pid ${process.pid})`);
  await place.workspaces.runs.changePorts(id);
  expect(rowOf(place)?.port).not.toBe(port);
  await place.workspaces.runs.start(id, { name: 'dev' });
  await place.workspaces.runs.start(id, { name: 'dev' });
  expect(started).toEqual(['npm run dev']);
  expect((await place.workspaces.status(id)).runs).toEqual(['dev']);
  await place.workspaces.runs.stop(id, 'dev');
  expect(running.size).toBe(0);
  await expect(place.workspaces.runs.start(id, { name: 'rm' })).rejects.toMatchObject({
    code: 'INVALID_MESSAGE',
  });
  await new Promise((resolve) => squatter.close(resolve));
});

it('B22 with runOneAtATime, the command of another workspace stops only after confirmation', async () => {
  const running = new Map<string, string>();
  const place = placeOf(fresh(), {
    settings: { run: { dev: 'npm run dev' }, runOneAtATime: true },
    use: {
      runs: {
        terminals: async (workspace) =>
          [...running].flatMap(([id, of]) =>
            of === workspace
              ? [{ id, project: of, name: 'dev', state: { type: 'running' } } as unknown as TerminalInfo]
              : [],
          ),
        start: async (row, _, { terminal }) => void running.set(terminal, row.id),
        stop: async (terminal) => void running.delete(terminal),
      },
    },
  });
  await made(place);
  await made(place, { title: 'other' });
  const [one, other] = place.workspaces.list();
  await place.workspaces.runs.start(one?.id ?? '', { name: 'dev' });
  const asked = place.workspaces.runs.start(other?.id ?? '', { name: 'dev' });
  await expect(asked).rejects.toMatchObject({
    code: 'NOT_CONFIRMED',
    message: expect.stringContaining('dev is running in work'),
  });
  await place.workspaces.runs.start(other?.id ?? '', { name: 'dev', confirmed: true });
  expect([...running.values()]).toEqual([other?.id]);
});
