/** A server that is killed at a step of a landing (B49): the next one lands it; the base was old or new all the time. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitGone } from '@tugdeck/testkit/process-facts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitWorld, gitWorld, repositoryAt, type TestRepository } from './git-fixture.ts';
import { pointReached } from './kill-points.ts';
import { type WorkspacePlace, workspacePlace } from './workspace-fixture.ts';

const IS_FULL = process.env.TUGDECK_TEST_FULL === '1';
const STEPS = ['commit', 'bring', 'check', 'tip', 'result', 'move'];
const METHODS = { squash: STEPS, merge: STEPS, rebase: STEPS, changes: ['plan', 'carry'] };
/** Each step at its beginning and when its work is done but not noted, and in the middle of the result commit. */
const ALL = [
  ...Object.entries(METHODS).flatMap(([method, steps]) =>
    steps.flatMap((step) => [[method, step, 'begun'] as const, [method, step, 'performed'] as const]),
  ),
  ['squash', 'hook', 'running'] as const,
  ['merge', 'hook', 'running'] as const,
];
/** The steps with the base or the branch at stake; the full tier stops at all of them. */
const THIN = ['squash hook running', 'squash move begun', 'changes carry begun'];
const CASES = ALL.filter((one) => IS_FULL || THIN.includes(one.join(' ')));

/** On the base, once it has landed. */
const COMMITS: Readonly<Record<string, number>> = { squash: 3, merge: 6, rebase: 4 };

let world: GitWorld;
let number = 0;
beforeAll(() => {
  world = gitWorld();
});
afterAll(() => world.dispose());

const gitIn = (directory: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

interface Killed {
  readonly root: string;
  readonly repository: TestRepository;
  readonly data: string;
}

/** Undefined if the process came to its end. */
function killed(method: string, step: string, moment: string): Killed | undefined {
  const root = world.path(`case-${++number}`);
  const repository = repositoryAt(join(root, 'shop'));
  repository.commit('one', { 'src/a.ts': 'a\n', 'README.md': 'hello\n' });
  repository.write('README.md', 'mine\n');
  const data = join(root, 'data');
  mkdirSync(data);
  const script = fileURLToPath(new URL('landing-kill.ts', import.meta.url));
  const run = fileURLToPath(new URL('../../../scripts/run-ts.mjs', import.meta.url));
  const { signal, status } = spawnSync(
    'node',
    [run, script, data, repository.directory, method, step, moment],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if (status === 0) return undefined;
  expect(signal).toBe('SIGKILL');
  return { root, repository, data };
}

/** Old: as before the landing. New: as after it. Nothing else. */
function baseState({ directory, git }: TestRepository): 'old' | 'new' {
  const isNew = git('log', '-1', '--format=%s', 'main').trim() !== 'base';
  const status = git('status', '--porcelain').trim();
  expect(status).toBe('M README.md');
  expect(readFileSync(join(directory, 'src/a.ts'), 'utf8')).toBe(isNew ? 'own\n' : 'a\n');
  return isNew ? 'new' : 'old';
}

async function resumed(data: string, repository: TestRepository): Promise<WorkspacePlace> {
  const place = workspacePlace(data, repository.directory, { settings: { check: 'true' } });
  place.workspaces.resume();
  await place.workspaces.ready('w1');
  return place;
}

/** Landed; or not begun, if it was killed before the request was on disk. */
async function expectLanded(
  { repository, data }: Killed,
  method: string,
  mayBeMissing = false,
): Promise<void> {
  const place = await resumed(data, repository);
  try {
    const row = place.workspaces.get('w1');
    expect(readFileSync(join(row.path, 'new.txt'), 'utf8')).toBe('new\n');
    expect(row).toMatchObject({ state: 'ready', op: undefined });
    if (mayBeMissing && row.landing === undefined) {
      expect(baseState(repository)).toBe('old');
      return;
    }
    expect(row).toMatchObject({ landing: { landed: { method } } });
    expect(row.landing?.fault).toBeUndefined();
    if (method === 'changes') {
      expect(repository.git('status', '--porcelain').trim().split('\n').sort()).toEqual(
        [' M src/a.ts', '?? new.txt', 'M README.md'].sort(),
      );
      return;
    }
    expect(baseState(repository)).toBe('new');
    expect(gitIn(row.path, 'status', '--porcelain')).toBe('');
    expect(gitIn(row.path, 'rev-parse', 'HEAD')).toBe(repository.git('rev-parse', 'main').trim());
    const count = Number(repository.git('rev-list', '--count', 'main'));
    expect(count).toBe(COMMITS[method]);
  } finally {
    await place.close();
  }
}

describe('a server that is killed while it lands', () => {
  it.each(CASES)('B49 %s, killed at %s, %s: the next server lands it', async (method, step, moment) => {
    const one = killed(method, step, moment);
    if (!one) throw new Error('not killed');
    const { repository, data } = one;
    const isMoved = step === 'move' && moment === 'performed';
    if (method !== 'changes') expect(baseState(repository)).toBe(isMoved ? 'new' : 'old');
    // Git outlives the server.
    if (step === 'hook') await waitGone(Number(readFileSync(join(data, 'git-pid'), 'utf8')));
    rmSync(join(repository.directory, '.git/hooks/pre-commit'), { force: true });
    await expectLanded(one, method);
  });

  it.runIf(IS_FULL).each(Object.keys(METHODS))(
    'B49 before each change of the disk of %s: the base is old or new, and the next server lands it',
    async (method) => {
      for (let point = 1; ; point++) {
        const one = killed(method, 'point', String(point));
        if (!one) break;
        const before = await pointReached(point, one.root);
        try {
          if (method !== 'changes') baseState(one.repository);
          await expectLanded(one, method, true);
        } catch (cause) {
          throw new Error(`killed before ${point}: ${before}`, { cause });
        }
        expect(before).toBeDefined();
        expect(point, 'it never ends').toBeLessThan(200);
      }
    },
    600_000,
  );
});
