/** Starting, checking and choosing attempts on real git (B37, B39, B40), and after a kill. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AttemptsPlace, attemptsPlace, PROJECT, promptsOf, REQUEST } from './attempts-fixture.ts';
import { type GitWorld, gitWorld, repositoryAt, type TestRepository } from './git-fixture.ts';

const IS_FULL = process.env.TUGDECK_TEST_FULL === '1';
const MOMENTS = [
  'saved start 0',
  ...[1, 2, 3].flatMap((n) => [`created ${n}`, `session ${n}`, `held ${n}`]),
  ...['saved start 1', 'saved start 2', 'saved start 3'],
  ...['saved choose 3', 'archived'],
];
const THIN = ['saved start 0', 'held 2', 'saved start 2', 'saved choose 3'];
const WAIT = { timeout: 60_000, interval: 20 };

let world: GitWorld;
let number = 0;
const open: AttemptsPlace[] = [];
beforeAll(() => {
  world = gitWorld();
});
afterEach(async () => {
  for (const place of open.splice(0)) await place.close();
});
afterAll(() => world.dispose());

function fresh(): { repository: TestRepository; data: string } {
  const root = world.path(`attempts-${++number}`);
  const repository = repositoryAt(join(root, 'shop'));
  repository.commit('one', { 'a.txt': 'a\n' });
  const data = join(root, 'data');
  mkdirSync(data);
  return { repository, data };
}

function placeOf(
  data: string,
  repository: TestRepository,
  options: Parameters<typeof attemptsPlace>[2] = {},
) {
  const place = attemptsPlace(data, repository.directory, options);
  open.push(place);
  return place;
}

const groupIn = ({ store }: AttemptsPlace) => store.attempts.get(REQUEST.id);
const started = (place: AttemptsPlace) => expect.poll(() => groupIn(place)?.op, WAIT).toBeUndefined();
const statesOf = ({ workspaces }: AttemptsPlace) =>
  REQUEST.attempts.map(({ workspace }) => workspaces.get(workspace).state);

it('B37 creates two workspaces at a time, setup included', async () => {
  const { repository, data } = fresh();
  const running = new Set<string>();
  const ends: (() => void)[] = [];
  let most = 0;
  const place = placeOf(data, repository, {
    settings: { setup: 'npm ci' },
    use: {
      setup: ({ id }) => {
        running.add(id);
        most = Math.max(most, running.size);
        return new Promise((resolve) => {
          ends.push(() => {
            running.delete(id);
            resolve(0);
          });
        });
      },
    },
  });
  await place.attempts.start(PROJECT, REQUEST);
  await expect.poll(() => running.size, WAIT).toBe(2);
  expect(place.attempts.list(PROJECT)[0]?.attempts.map(({ isWaiting }) => isWaiting === true)).toEqual([
    false,
    false,
    true,
  ]);
  expect(place.workspaces.list()).toHaveLength(2);
  ends[0]?.();
  await expect.poll(() => ends.length, WAIT).toBe(3);
  for (const end of ends) end();
  await started(place);
  expect(most).toBe(2);
  expect(statesOf(place)).toEqual(['ready', 'ready', 'ready']);
});

it('B37 an attempt that cannot start says why, and the others start', async () => {
  const { repository, data } = fresh();
  const [first, second, third] = REQUEST.attempts;
  const place = placeOf(data, repository, { refused: second?.session });
  await place.attempts.start(PROJECT, REQUEST);
  await started(place);
  expect(place.attempts.list(PROJECT)[0]?.attempts.map(({ fault }) => fault)).toEqual([
    undefined,
    'The agent is missing.',
    undefined,
  ]);
  expect(promptsOf(data).map(({ session }) => session)).toEqual([first?.session, third?.session]);
});

it('B39 runs the check in each workspace, and keeps the result with the files it was for', async () => {
  const { repository, data } = fresh();
  const ran: string[] = [];
  const place = placeOf(data, repository, {
    settings: { check: 'npm test' },
    use: {
      check: async ({ id }, command, name, again) => {
        ran.push([command, name, again].join(' '));
        return id === REQUEST.attempts[0]?.workspace ? 0 : 2;
      },
    },
    overrides: { keepFiles: async (session) => `tree of ${session.slice(-1)}` },
  });
  await place.attempts.start(PROJECT, REQUEST);
  await started(place);
  place.attempts.check(PROJECT, REQUEST.id);
  const checks = () => groupIn(place)?.members.map(({ check }) => check);
  await expect.poll(checks, WAIT).toMatchObject([
    { code: 0, tree: 'tree of 1' },
    { code: 2, tree: 'tree of 2' },
    { code: 2, tree: 'tree of 3' },
  ]);
  expect(ran.sort()).toEqual(REQUEST.attempts.map(({ session }) => `npm test attempt-${session} true`));
});

it('B39 refuses a check without a command, and in a project without trust', async () => {
  const { repository, data } = fresh();
  const place = placeOf(data, repository);
  await place.attempts.start(PROJECT, REQUEST);
  await started(place);
  expect(() => place.attempts.check(PROJECT, REQUEST.id)).toThrow(/No check command/);
  await place.close();
  open.length = 0;
  const untrusted = placeOf(data, repository, { settings: { check: 'true' }, trust: 'no' });
  expect(() => untrusted.attempts.check(PROJECT, REQUEST.id)).toThrow(/not trusted/);
});

describe('a server that is killed', () => {
  it.each(MOMENTS.filter((moment) => IS_FULL || THIN.includes(moment)))(
    'B37 B40 at "%s": the next one starts the rest, every prompt is sent once, and all rows are whole',
    async (moment) => {
      const { repository, data } = fresh();
      const script = fileURLToPath(new URL('attempts-kill.ts', import.meta.url));
      const run = fileURLToPath(new URL('../../../scripts/run-ts.mjs', import.meta.url));
      const { signal } = spawnSync('node', [run, script, data, repository.directory, moment], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      expect(signal).toBe('SIGKILL');
      const place = placeOf(data, repository);
      place.workspaces.resume();
      place.attempts.resume();
      await started(place);
      const group = groupIn(place);
      expect(group?.members.map(({ isBegun, fault }) => [isBegun, fault])).toEqual(
        Array(3).fill([true, undefined]),
      );
      const prompts = promptsOf(data);
      expect(prompts.map(({ session }) => session).sort()).toEqual(
        REQUEST.attempts.map(({ session }) => session),
      );
      expect(new Set(prompts.map(({ id, text }) => id + text)).size).toBe(1);
      const isChosen = moment.includes('choose') || moment === 'archived';
      expect(statesOf(place)).toEqual(isChosen ? ['ready', 'archived', 'archived'] : Array(3).fill('ready'));
      expect(group?.chosen).toBe(isChosen ? REQUEST.attempts[0]?.session : undefined);
      const listed = execFileSync('git', ['worktree', 'list', '--porcelain'], {
        cwd: repository.directory,
        encoding: 'utf8',
      });
      for (const { session, workspace } of REQUEST.attempts) {
        const row = place.workspaces.get(workspace);
        expect(row).toMatchObject({ op: undefined, fault: undefined, baseCommit: group?.baseCommit });
        expect(existsSync(row.path)).toBe(row.state === 'ready');
        expect(listed.includes(`worktree ${row.path}\n`)).toBe(row.state === 'ready');
        expect(place.store.sessions.get(session)).toMatchObject({
          workspace,
          archived: row.state === 'archived',
        });
        if (row.state === 'ready') expect(readFileSync(join(row.path, 'a.txt'), 'utf8')).toBe('a\n');
      }
    },
    60_000,
  );
});
