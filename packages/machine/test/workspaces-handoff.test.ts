/** Handing off a session between checkout and workspace, with real git (B72 to B77). */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitWorld, gitWorld, repositoryAt } from './git-fixture.ts';
import { handOff, handoffPlace, movesIn } from './handoff-place.ts';
import { pointReached } from './kill-points.ts';
import { type PlaceOptions, PROJECT, workspacePlace } from './workspace-fixture.ts';

const IS_FULL = process.env.TUGDECK_TEST_FULL === '1';
let world: GitWorld;
let number = 0;
beforeAll(() => {
  world = gitWorld();
});
afterAll(() => world.dispose());

const gitIn = (directory: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
const read = (directory: string, name: string) => readFileSync(join(directory, name), 'utf8');

/** A project, and a session whose place is kept in `session`. */
function fresh(options: PlaceOptions = {}) {
  const root = world.path(`case-${++number}`);
  const repository = repositoryAt(join(root, 'shop'));
  repository.commit('one', { 'README.md': 'hello\n', 'src/a.ts': 'one\ntwo\nthree\nfour\nfive\n' });
  const session: { workspace?: string | undefined; moves: number } = { moves: 0 };
  const open = (more: PlaceOptions = {}) =>
    workspacePlace(join(root, 'data'), repository.directory, {
      ...options,
      ...more,
      use: {
        session: () => ({ project: PROJECT, title: 'fix login', workspace: session.workspace }),
        async move(_id, to) {
          if (session.workspace === to) return;
          session.workspace = to;
          session.moves += 1;
        },
        ...options.use,
      },
    });
  return { repository, session, open };
}

describe('a session', () => {
  it('B73 goes to a new workspace with the uncommitted changes of the checkout, which keeps them', async () => {
    const { repository, session, open } = fresh();
    const place = open();
    repository.write('src/a.ts', 'changed\n');
    repository.write('new.txt', 'new\n');
    expect(await place.workspaces.handoff.look({ session: 's', to: 'new' })).toMatchObject({
      files: 2,
      conflicts: [],
    });
    const { path, id, baseRef } = await handOff(place, 'new');
    expect([session.workspace, baseRef]).toEqual([id, 'refs/heads/main']);
    expect([read(path, 'src/a.ts'), read(path, 'new.txt')]).toEqual(['changed\n', 'new\n']);
    expect(read(repository.directory, 'src/a.ts')).toBe('changed\n');
    await place.close();
  });

  it('B73 takes the changes out of the checkout if the user wants that', async () => {
    const { repository, open } = fresh();
    const place = open();
    repository.write('src/a.ts', 'changed\n');
    repository.write('new.txt', 'new\n');
    const { path } = await handOff(place, 'new', true);
    expect(gitIn(repository.directory, 'status', '--porcelain')).toBe('');
    expect([read(path, 'src/a.ts'), read(path, 'new.txt')]).toEqual(['changed\n', 'new\n']);
    await place.close();
  });

  it('B73 B77 comes back with commits and changes, uncommitted; lines of the checkout and the workspace stay', async () => {
    const { repository, session, open } = fresh();
    const place = open();
    const { path, id } = await handOff(place, 'new');
    writeFileSync(join(path, 'src/a.ts'), 'ONE\ntwo\nthree\nfour\nfive\n');
    gitIn(path, 'commit', '-qam', 'own');
    writeFileSync(join(path, 'new.txt'), 'new\n');
    repository.write('src/a.ts', 'one\ntwo\nthree\nfour\nFIVE\n');
    expect(await place.workspaces.handoff.look({ session: 's', to: 'checkout' })).toMatchObject({
      files: 2,
      merged: 1,
    });
    await handOff(place, 'checkout');
    expect(session.workspace).toBeUndefined();
    expect(read(repository.directory, 'src/a.ts')).toBe('ONE\ntwo\nthree\nfour\nFIVE\n');
    expect(repository.git('log', '--format=%s').trim()).toBe('one');
    expect(place.workspaces.get(id).state).toBe('ready');
    await place.close();
  });

  it('B72 stays, with names, if a file was changed on both sides', async () => {
    const { repository, session, open } = fresh();
    const place = open();
    const { path, id } = await handOff(place, 'new');
    writeFileSync(join(path, 'README.md'), 'theirs\n');
    repository.write('README.md', 'mine\n');
    expect((await place.workspaces.handoff.look({ session: 's', to: 'checkout' })).conflicts).toEqual([
      'README.md',
    ]);
    await expect(handOff(place, 'checkout')).rejects.toThrow('README.md');
    expect(read(repository.directory, 'README.md')).toBe('mine\n');
    expect(session.workspace).toBe(id);
    expect(gitIn(repository.directory, 'stash', 'list')).toBe('');
    await place.close();
  });

  it('B72 is not handed off while its agent works, or if files changed since the preview', async () => {
    const busy = fresh({ use: { isIdle: () => false } });
    const one = busy.open();
    await expect(handOff(one, 'new')).rejects.toMatchObject({ code: 'WORKSPACE_BUSY' });
    await one.close();
    const { repository, open } = fresh();
    const place = open();
    const { hash } = await place.workspaces.handoff.look({ session: 's', to: 'new' });
    repository.write('later.txt', 'later\n');
    const begun = place.workspaces.handoff.begin({ session: 's', to: 'new', hash });
    await expect(begun).rejects.toMatchObject({ code: 'GIT_CHANGED' });
    await place.close();
  });
});

const STEPS = ['plan', 'carry', 'session', 'take'];
describe('a killed server', () => {
  it.each(STEPS.filter((step) => IS_FULL || step === 'session'))(
    'B65 B72 finishes a hand-off that stopped at %s, and moves the session once',
    async (step) => {
      const { repository, session, open } = fresh();
      repository.write('src/a.ts', 'changed\n');
      let stopped: (() => void) | undefined;
      const reached = new Promise<void>((resolve) => {
        stopped = resolve;
      });
      const first = open({
        reached: ({ op }) => {
          if (op?.kind !== 'handoff' || op.step !== step) return;
          void first.workspaces.close();
          stopped?.();
          throw new Error('stopped');
        },
      });
      const running = handOff(first, 'new', true).catch(() => undefined);
      await reached;
      await running;
      await first.close();
      const place = open();
      const [row] = place.store.workspaces.list();
      if (!row) throw new Error('no workspace');
      place.workspaces.resume();
      await place.workspaces.ready(row.id);
      expect([session.workspace, session.moves]).toEqual([row.id, 1]);
      expect(read(row.path, 'src/a.ts')).toBe('changed\n');
      expect(gitIn(repository.directory, 'status', '--porcelain')).toBe('');
      expect(place.workspaces.get(row.id).op).toBeUndefined();
      await place.close();
    },
  );
});

/** At its beginning, and when its work is done but not noted. The full tier has all. */
const KILLS = STEPS.flatMap((step) => [[step, 'begun'] as const, [step, 'performed'] as const]);

/** A project with changes, and a process that hands a session off and is killed; undefined if it came to its end. */
function killed(...how: string[]) {
  const root = world.path(`kill-${++number}`);
  const repository = repositoryAt(join(root, 'shop'));
  repository.commit('one', { 'README.md': 'hello\n', 'src/a.ts': 'one\n' });
  repository.write('src/a.ts', 'changed\n');
  repository.write('new.txt', 'new\n');
  const data = join(root, 'data');
  mkdirSync(data);
  const script = fileURLToPath(new URL('handoff-kill.ts', import.meta.url));
  const run = fileURLToPath(new URL('../../../scripts/run-ts.mjs', import.meta.url));
  const { signal, status } = spawnSync('node', [run, script, data, repository.directory, ...how], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status === 0) return undefined;
  expect(signal).toBe('SIGKILL');
  return { root, repository, data };
}

/** The next server finishes what the killed one began. */
async function resumed({ data, repository }: NonNullable<ReturnType<typeof killed>>) {
  const place = handoffPlace(data, repository.directory);
  const [row] = place.store.workspaces.list();
  if (!row) throw new Error('no workspace');
  place.workspaces.resume();
  await place.workspaces.ready(row.id);
  return { place, row };
}

async function expectHandedOff(one: NonNullable<ReturnType<typeof killed>>): Promise<void> {
  const { repository, data } = one;
  const { place, row } = await resumed(one);
  try {
    expect(movesIn(data)).toEqual([row.id]);
    expect(place.workspaces.get(row.id)).toMatchObject({ state: 'ready', op: undefined });
    expect([read(row.path, 'src/a.ts'), read(row.path, 'new.txt')]).toEqual(['changed\n', 'new\n']);
    expect(gitIn(row.path, 'status', '--porcelain').split('\n').sort()).toEqual(['?? new.txt', 'M src/a.ts']);
    expect(gitIn(repository.directory, 'status', '--porcelain')).toBe('');
    expect(read(repository.directory, 'src/a.ts')).toBe('one\n');
  } finally {
    await place.close();
  }
}

/** Back in the checkout with all files; or still in the workspace, if it was killed before the request was on disk. */
async function expectBack(one: NonNullable<ReturnType<typeof killed>>): Promise<void> {
  const { repository, data } = one;
  const { place, row } = await resumed(one);
  try {
    const moves = movesIn(data);
    const isBack = row.op?.kind === 'handoff' || moves.length > 1;
    expect(moves).toEqual(isBack ? [row.id, ''] : [row.id]);
    expect(place.workspaces.get(row.id)).toMatchObject({ state: 'ready', op: undefined, fault: undefined });
    expect(gitIn(row.path, 'status', '--porcelain').split('\n').sort()).toEqual(['?? new.txt', '?? own.txt']);
    expect(read(row.path, 'src/a.ts')).toBe('changed\n');
    expect(gitIn(repository.directory, 'status', '--porcelain').split('\n').filter(Boolean).sort()).toEqual(
      isBack ? ['?? new.txt', '?? own.txt', 'M src/a.ts'] : [],
    );
    expect(read(repository.directory, 'src/a.ts')).toBe(isBack ? 'changed\n' : 'one\n');
  } finally {
    await place.close();
  }
}

describe('kill -9 of a process', () => {
  it.each(KILLS.filter(([step, moment]) => IS_FULL || `${step} ${moment}` === 'session performed'))(
    'B65 B72 that hands a session off, at %s, %s: the next server moves it once, and no file is lost',
    async (step, moment) => {
      const one = killed(step, moment);
      if (!one) throw new Error('not killed');
      await expectHandedOff(one);
    },
  );

  it.runIf(IS_FULL).each([
    ['to a workspace', 'point', expectHandedOff],
    ['to the checkout', 'back', expectBack],
  ] as const)(
    'B65 B72 before each change of the disk of a hand-off %s',
    async (_, how, expectDone) => {
      for (let point = 1; ; point++) {
        const one = killed(how, String(point));
        if (!one) break;
        const before = await pointReached(point, one.root);
        await expectDone(one).catch((error: unknown) => {
          throw new Error(`killed before ${point}: ${before}`, { cause: error });
        });
        expect(before).toBeDefined();
        expect(point, 'it never ends').toBeLessThan(200);
        rmSync(one.root, { recursive: true, force: true });
      }
    },
    600_000,
  );
});
