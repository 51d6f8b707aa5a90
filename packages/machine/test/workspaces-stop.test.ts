/**
 * A server that is killed at any step of creating, archiving or restoring a workspace (B11, B12, B65): the next one
 * finishes, and folders, git's entries, branches and rows agree.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitWorld, gitWorld, repositoryAt, type TestRepository } from './git-fixture.ts';
import { pointReached } from './kill-points.ts';
import { PROJECT, type WorkspacePlace, workspacePlace } from './workspace-fixture.ts';
import { contents, gitIn, work } from './workspace-work.ts';

const IS_FULL = process.env.TUGDECK_TEST_FULL === '1';
const STEPS = {
  create: [
    'base',
    'folder',
    'branch',
    'worktree',
    'lock',
    'submodules',
    'checkpoint',
    'files',
    'changes',
    'setup',
  ],
  archive: ['teardown', 'end', 'move', 'keep', 'unlist', 'branch', 'shrink'],
  restore: ['objects', 'fill', 'branch', 'list', 'move', 'clean'],
} as const;
type Kind = keyof typeof STEPS;

let world: GitWorld;
let number = 0;
beforeAll(() => {
  world = gitWorld();
});
afterAll(() => world.dispose());

function fresh(): TestRepository {
  const repository = repositoryAt(world.path(`case-${++number}`, 'shop'));
  repository.commit('one', { 'README.md': 'hello\n', 'src/a.ts': 'a\n', '.gitignore': '.env\n' });
  repository.write('.env', 'A=1\n');
  return repository;
}

async function begin(place: WorkspacePlace, kind: Kind): Promise<string> {
  const { workspaces } = place;
  const { id } = await workspaces.create(PROJECT, { title: 'work' }, 'w1');
  if (kind === 'create') return id;
  const { path } = await workspaces.ready(id);
  work(path);
  const archived = workspaces.archive(id);
  if (kind === 'restore') {
    await archived;
    await workspaces.restore(id);
  } else await archived;
  return id;
}

/** Runs until a step begins, and stops there like a killed server: nothing is cleaned up. */
async function stopAt(repository: TestRepository, kind: Kind, step: string): Promise<void> {
  const stopped: { place?: WorkspacePlace } = {};
  const reached = new Promise<void>((resolve) => {
    stopped.place = workspacePlace(data(repository), repository.directory, {
      settings: { setup: 'true' },
      reached: ({ op }) => {
        if (op?.kind !== kind || op.step !== step) return;
        void stopped.place?.workspaces.close();
        resolve();
        throw new Error('stopped');
      },
    });
  });
  if (!stopped.place) throw new Error('no place');
  const running = begin(stopped.place, kind).catch(() => undefined);
  await reached;
  await Promise.race([running, stopped.place.workspaces.close()]);
  await stopped.place.close();
}

const data = (repository: TestRepository) => join(repository.directory, '..', 'data');

/** Folders, git's entries, branches and rows name the same workspaces. */
function expectConsistent(repository: TestRepository, place: WorkspacePlace): void {
  const rows = place.store.workspaces.list();
  const onDisk = rows.filter(({ state }) => state === 'ready');
  const folders = existsSync(place.home)
    ? readdirSync(place.home).flatMap((owner) =>
        readdirSync(join(place.home, owner)).map((name) => realpathSync(join(place.home, owner, name))),
      )
    : [];
  expect(folders.sort()).toEqual(onDisk.map(({ path }) => path).sort());
  const entries = repository.git('worktree', 'list', '--porcelain').match(/^worktree .*$/gm) ?? [];
  expect(
    entries
      .slice(1)
      .map((line) => line.slice('worktree '.length))
      .sort(),
  ).toEqual(folders.sort());
  expect(repository.git('worktree', 'list', '--porcelain')).not.toContain('prunable');
  const branches = repository
    .git('for-each-ref', '--format=%(refname:short)', 'refs/heads/')
    .trim()
    .split('\n');
  expect(
    branches
      .filter((branch) => branch !== 'main')
      .every((branch) => rows.some((row) => row.branch === branch)),
  ).toBe(true);
  const archives = existsSync(place.archive) ? readdirSync(place.archive) : [];
  expect(archives).toEqual(rows.filter(({ state }) => state === 'archived').map(({ id }) => id));
}

async function settled(place: WorkspacePlace): Promise<void> {
  place.workspaces.resume();
  await place.workspaces.ready('w1').catch(() => undefined);
}

function expectWork(path: string): void {
  expect(readFileSync(join(path, 'README.md'), 'utf8')).toBe('changed\n');
  expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('new\n');
  expect(gitIn(path, 'log', '-1', '--format=%s').trim()).toBe('own');
  expect(gitIn(path, 'status', '--porcelain').trim().split('\n').sort()).toEqual([
    '?? link',
    '?? new.txt',
    '?? run.sh',
    'AM deep/staged.txt',
    'M README.md',
  ]);
}

/** The steps after which most is at stake; the full tier stops at all of them. */
const THIN = ['create worktree', 'create files', 'archive unlist', 'archive shrink', 'restore list'];
const CASES = (Object.keys(STEPS) as Kind[]).flatMap((kind) =>
  STEPS[kind].flatMap((step) => (IS_FULL || THIN.includes(`${kind} ${step}`) ? [[kind, step] as const] : [])),
);

describe('a killed server', () => {
  it.each(CASES)(
    'B11 B65 finishes %s, stopped at %s, also if the step before is repeated',
    async (kind, step) => {
      const repository = fresh();
      await stopAt(repository, kind, step);
      const place = workspacePlace(data(repository), repository.directory);
      try {
        const row = place.workspaces.get('w1');
        const before = STEPS[kind][(STEPS[kind] as readonly string[]).indexOf(step) - 1];
        // The step before was done, but the row did not say so yet. Moving is not repeated: its result is checked.
        if (before !== undefined && row.op)
          place.store.workspaces.save({ ...row, op: { ...row.op, step: before } });
        await settled(place);
        expect(place.workspaces.get('w1').state).toBe(kind === 'archive' ? 'archived' : 'ready');
        expectConsistent(repository, place);
        if (kind === 'archive') await place.workspaces.restore('w1');
        const { path } = place.workspaces.get('w1');
        expect(readFileSync(join(path, '.env'), 'utf8')).toBe('A=1\n');
        if (kind !== 'create') expectWork(path);
      } finally {
        await place.close();
      }
    },
  );

  it('B62 B65 keeps a worktree that was moved back before the row said so', async () => {
    const repository = fresh();
    await stopAt(repository, 'archive', 'keep');
    const place = workspacePlace(data(repository), repository.directory);
    const { path } = place.workspaces.get('w1');
    renameSync(join(place.archive, 'w1', 'tree'), path);
    await settled(place);
    expect(place.workspaces.get('w1')).toMatchObject({ state: 'ready' });
    expectConsistent(repository, place);
    expectWork(path);
    await place.close();
  });

  it('B61 B65 continues archiving only once agents and terminals are known', async () => {
    const repository = fresh();
    await stopAt(repository, 'archive', 'end');
    const place = workspacePlace(data(repository), repository.directory);
    place.workspaces.resume(['create', 'restore']);
    await place.workspaces.ready('w1').catch(() => undefined);
    expect(place.workspaces.get('w1')).toMatchObject({ state: 'archiving', op: { step: 'end' } });
    place.workspaces.resume(['archive']);
    await place.workspaces.ready('w1').catch(() => undefined);
    expect(place.workspaces.get('w1').state).toBe('archived');
    await place.close();
  });

  it('B11 removes a checkout that was cut off, and makes it again', async () => {
    const repository = fresh();
    await stopAt(repository, 'create', 'worktree');
    const before = workspacePlace(data(repository), repository.directory);
    const { path, branch = '' } = before.workspaces.get('w1');
    await before.close();
    repository.git('worktree', 'add', '-q', path, branch);
    const entry = join(
      repository.directory,
      '.git/worktrees',
      readdirSync(join(repository.directory, '.git/worktrees'))[0] ?? '',
    );
    writeFileSync(join(entry, 'locked'), 'initializing');
    writeFileSync(join(entry, 'index.lock'), '');
    writeFileSync(join(path, 'src/a.ts'), '');
    const place = workspacePlace(data(repository), repository.directory);
    await settled(place);
    expect(place.workspaces.get('w1')).toMatchObject({ state: 'ready', path });
    expect(readFileSync(join(path, 'src/a.ts'), 'utf8')).toBe('a\n');
    expectConsistent(repository, place);
    await place.close();
  });
});

/** Steps of creating, archiving and restoring, at their beginning and when their work is done but not noted. */
const KILLS = (Object.keys(STEPS) as Kind[]).flatMap((kind) =>
  STEPS[kind].flatMap((step) => [[kind, step, 'begun'] as const, [kind, step, 'performed'] as const]),
);
/** Some in every run; the full tier has all, and each point in between. */
const KILLED = IS_FULL
  ? KILLS
  : KILLS.filter(([kind, step, moment]) =>
      ['create worktree performed', 'archive keep performed', 'restore move performed'].includes(
        `${kind} ${step} ${moment}`,
      ),
    );

describe('kill -9 of a process', () => {
  it.each(KILLED)('B11 B12 B65 while it does %s: %s %s', async (kind, step, moment) => {
    const repository = fresh();
    for (let file = 0; file < 200; file++) repository.write(`many/${file}.txt`, `${file}\n`.repeat(50));
    repository.commit('many');
    await killed(repository, kind, step, moment);
    await expectRecovered(repository);
  });

  it.runIf(IS_FULL).each(Object.keys(STEPS))(
    'B11 B12 B65 before each change of the disk of %s',
    async (kind) => {
      for (let point = 1; ; point++) {
        const repository = fresh();
        const isKilled = await killed(repository, kind, 'point', String(point));
        const before = await pointReached(point, join(repository.directory, '..'));
        await expectRecovered(repository).catch((error: unknown) => {
          throw new Error(`killed before ${point}: ${before}`, { cause: error });
        });
        if (!isKilled) break;
        expect(before).toBeDefined();
        expect(point, 'the operation never ends').toBeLessThan(300);
      }
    },
    600_000,
  );
});

describe('kill -9 while a deleted folder is restored', () => {
  it.runIf(IS_FULL)(
    'B65 B86 before each change of the disk: the next server finishes it',
    async () => {
      for (let point = 1; ; point++) {
        const repository = fresh();
        const isKilled = await killed(repository, 'missing', 'point', String(point));
        const before = await pointReached(point, join(repository.directory, '..'));
        await expectBack(repository).catch((error: unknown) => {
          throw new Error(`killed before ${point}: ${before}`, { cause: error });
        });
        if (!isKilled) break;
        expect(before).toBeDefined();
        expect(point, 'the operation never ends').toBeLessThan(100);
      }
    },
    600_000,
  );
});

/** Restored, or still missing and restored on request. */
async function expectBack(repository: TestRepository): Promise<void> {
  const place = workspacePlace(data(repository), repository.directory);
  try {
    await settled(place);
    const { op, path } = place.workspaces.get('w1');
    expect(op).toBeUndefined();
    if (!existsSync(path)) {
      await place.workspaces.restore('w1');
      await place.workspaces.ready('w1');
    }
    expect(readFileSync(join(path, 'deep/staged.txt'), 'utf8')).toBe('staged\n');
    expect(readFileSync(join(path, '.env'), 'utf8')).toBe('A=1\n');
    expect(readFileSync(join(path, 'README.md'), 'utf8')).toBe('hello\n');
    expect(gitIn(path, 'status', '--porcelain').trim().split('\n')).toEqual(['A  deep/staged.txt']);
    expect(gitIn(path, 'log', '-1', '--format=%s').trim()).toBe('own');
    expectConsistent(repository, place);
  } finally {
    await place.close();
  }
  rmSync(join(repository.directory, '..'), { recursive: true, force: true });
}

/** The next server finishes, and the workspace is like one that was never killed. */
async function expectRecovered(repository: TestRepository): Promise<void> {
  const place = workspacePlace(data(repository), repository.directory);
  try {
    const row = place.store.workspaces.get('w1');
    // Killed before the row was there: nothing else may be there either.
    if (row) await settled(place);
    expectConsistent(repository, place);
    if (!row) return;
    if (place.workspaces.get('w1').state === 'archived') await place.workspaces.restore('w1');
    expect(place.workspaces.get('w1').state).toBe('ready');
    expectConsistent(repository, place);
    const { path } = row;
    if (!existsSync(join(data(repository), 'worked'))) work(path);
    // The same work in a workspace that was never killed.
    const twin = await place.workspaces.create(PROJECT, { title: 'twin', withChanges: true });
    const { path: other } = await place.workspaces.ready(twin.id);
    work(other);
    expect(contents(path)).toEqual(contents(other));
    expect(indexOf(path)).toEqual(indexOf(other));
    expect(gitIn(path, 'log', '-1', '--format=%s').trim()).toBe('own');
    gitIn(path, 'fsck', '--connectivity-only', '--no-dangling');
  } finally {
    await place.close();
  }
  // Hundreds of worktrees would take minutes to delete at the end.
  rmSync(join(repository.directory, '..'), { recursive: true, force: true });
}

const indexOf = (path: string) => gitIn(path, 'ls-files', '--stage', '-z');

/** Runs the operations in another process until it kills itself; false if there are fewer points. */
async function killed(repository: TestRepository, ...how: string[]): Promise<boolean> {
  repository.write('brought.txt', 'brought\n');
  mkdirSync(data(repository), { recursive: true });
  const script = fileURLToPath(new URL('workspace-kill.ts', import.meta.url));
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const args = [join(root, 'scripts/run-ts.mjs'), script, data(repository), repository.directory, ...how];
  const child = spawn('node', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  const isOver = how[1] === 'point' && code === 0;
  if (!isOver) expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' });
  return !isOver;
}
