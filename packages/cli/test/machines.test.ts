/** `tugdeck machine` and `tugdeck NAME:PATH` with the real command, and a second data directory as the other machine. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { splitWords } from '../src/split-words.ts';
import { type BuiltCli, buildCli, CliPlace } from './built-cli.ts';

let cli: BuiltCli;
let here: CliPlace;
let there: CliPlace;
beforeAll(async () => {
  cli = await buildCli();
});
afterAll(() => cli.remove());
beforeEach(() => {
  here = new CliPlace(cli);
  there = new CliPlace(cli);
});
afterEach(async () => {
  await here.clear();
  await there.clear();
});

/** Reaches the other data directory as ssh would reach another machine. */
const command = () =>
  [
    ...['env', `TUGDECK_DATA_DIR=${there.data}`, `TUGDECK_RUNTIME_DIR=${there.base}`, `HOME=${there.base}`],
    ...[process.execPath, there.program, 'bridge'],
  ].join(' ');
const configured = () => JSON.parse(readFileSync(join(here.data, 'config.json'), 'utf8')).machines;
const list = async () => JSON.parse((await here.run(['machine', 'list', '--json'])).out);

test('N20 add stores an argument list and says whether the machine can be reached; remove forgets it', async () => {
  const added = await here.run(['machine', 'add', 'devbox', '--command', command()]);
  expect(added).toMatchObject({ code: 0, err: '' });
  expect(added.out).toContain('Added devbox. It is online (build test-build)');
  expect(configured().devbox.command.at(-1)).toBe('bridge');

  const absent = await here.run(['machine', 'add', 'gone', '--command', '/nonexistent/ssh gone']);
  expect(absent.code).toBe(0);
  expect(absent.err).toContain("Added gone, but it can't be reached now");
  expect(absent.err).toContain('Install Tugdeck there');

  const doctor = await here.run(['machine', 'doctor', 'devbox']);
  expect(doctor.code).toBe(0);
  expect(doctor.out).toMatch(/ok {3}reachable {6}in \d+ ms/);
  expect((await here.run(['machine', 'doctor', 'gone'])).code).toBe(1);

  expect((await list()).map(({ name }: { name: string }) => name)).toEqual(['devbox', 'gone']);
  expect((await here.run(['machine', 'remove', 'gone'])).code).toBe(0);
  expect(Object.keys(configured())).toEqual(['devbox']);
  expect((await here.run(['machine', 'add', '--', '-oProxyCommand=touch x'])).code).toBe(2);
});

test('N25 audit lists when a machine was added, reached and removed, on both ends; a removed one leaves no rows', async () => {
  expect((await here.run(['machine', 'audit'])).out).toContain('No links to or from other machines yet.');
  await here.start();
  await here.run(['machine', 'add', 'devbox', '--command', command()]);
  const events = async (place: CliPlace) =>
    JSON.parse((await place.run(['machine', 'audit', '--json'])).out).map(
      ({ machine, message }: { machine?: string; message: string }) => `${machine ?? ''} ${message}`.trim(),
    );
  await expect.poll(() => events(here)).toEqual(['devbox added', 'devbox online']);
  const rows = join(here.data, 'machines', 'devbox.json');
  await expect.poll(() => existsSync(rows)).toBe(true);
  await here.run(['machine', 'remove', 'devbox']);
  await expect.poll(() => existsSync(rows)).toBe(false);
  await expect
    .poll(() => events(here))
    .toEqual(expect.arrayContaining(['devbox removed', 'devbox closed', 'devbox offline']));
  // One from `add` itself, one from the server.
  await expect
    .poll(async () => (await events(there)).sort())
    .toEqual(['deck connected', 'deck connected', 'deck gone', 'deck gone']);
  expect((await here.run(['machine', 'audit'])).out).toMatch(
    /devbox +online +id: [0-9a-f-]{36}, build: test-build/,
  );
});

test('L28 update names builds that differ and how to update, and changes nothing', async () => {
  await here.start();
  await here.run(['machine', 'add', 'devbox', '--command', command()]);
  await expect.poll(async () => (await list())[0]?.state).toBe('online');
  const same = await here.run(['update']);
  expect(same).toMatchObject({ code: 0, err: '' });
  expect(same.out).toContain('Tugdeck 1.2.3, installed in ');
  expect(same.out).toMatch(/running server +build test-build\n/);
  expect(same.out).toMatch(/devbox +build test-build\n/);
  const programs = join(cli.root, 'dist', 'programs.json');
  const before = readFileSync(programs, 'utf8');
  try {
    writeFileSync(programs, JSON.stringify({ ...JSON.parse(before), build: 'newer' }));
    const { out } = await here.run(['update']);
    expect(out).toMatch(/running server +build test-build, another one\. Restart it: tugdeck stop/);
    expect(out).toMatch(/devbox +build test-build, another one\. Update it there, or copy this one/);
  } finally {
    writeFileSync(programs, before);
  }
});

test('L28 update --check lists newer commits of a clone, and only fetches', async () => {
  const git = (directory: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: directory,
      encoding: 'utf8',
    });
  const origin = join(here.base, 'origin');
  const clone = join(cli.root, 'clone'); // Inside the clone of the tests, where it finds the native package.
  mkdirSync(origin);
  git(origin, 'init', '-q', '-b', 'main');
  git(origin, 'commit', '-q', '--allow-empty', '-m', 'one');
  git(cli.root, 'clone', '-q', origin, clone);
  cpSync(join(cli.root, 'dist'), join(clone, 'dist'), { recursive: true });
  cpSync(join(cli.root, 'package.json'), join(clone, 'package.json'));
  git(origin, 'commit', '-q', '--allow-empty', '-m', 'two\u202e');
  const run = (...words: string[]) =>
    here.outputOf(here.launch(process.execPath, [join(clone, 'dist', 'tugdeck.mjs'), ...words]));
  const plain = await run('update');
  expect(plain.out).toContain('To look for newer commits: tugdeck update --check');
  expect(git(clone, 'rev-list', '--count', 'origin/main').trim()).toBe('1');
  const checked = await run('update', '--check');
  expect(checked).toMatchObject({ code: 0 });
  expect(checked.out).toContain('1 newer commit, the last first:');
  expect(checked.out).toMatch(/ {2}[0-9a-f]+ two/);
  expect(checked.out).not.toContain('\u202e');
  expect(git(clone, 'log', '-1', '--format=%s').trim()).toBe('one');
});

test('N7 NAME:PATH opens a project there; a local path of that name wins', async () => {
  mkdirSync(join(there.base, 'work', 'shop'), { recursive: true });
  await here.start();
  // The running server applies the change.
  await here.run(['machine', 'add', 'devbox', '--command', command()]);
  const opened = await here.run(['devbox:work/shop']);
  expect(opened).toMatchObject({ code: 0 });
  expect(opened.out).toMatch(/^Tugdeck is ready: http/);
  expect(await list()).toMatchObject([{ name: 'devbox', state: 'online', projects: 1 }]);
  const far = JSON.parse((await there.run(['status', '--json'])).out);
  expect(far.projects).toMatchObject([{ path: join(there.base, 'work', 'shop') }]);

  mkdirSync(join(here.project, 'devbox:local'));
  expect((await here.run(['devbox:local'])).code).toBe(0);
  const near = JSON.parse((await here.run(['status', '--json'])).out);
  expect(near.projects.map(({ name }: { name: string }) => name)).toContain('devbox:local');

  const missing = await here.run(['devbox:nowhere']);
  expect(missing).toMatchObject({ code: 1 });
  expect(missing.err).toContain('PROJECT_PATH_INVALID');

  await here.run(['machine', 'remove', 'devbox']);
  await expect.poll(async () => (await here.run(['devbox:work/shop'])).code).not.toBe(0);
});

test('N20 a command line is split into arguments without a shell', () => {
  expect(splitWords(`docker exec -i "my dev" tugdeck\\ x '' '$(touch x)'`)).toEqual([
    ...['docker', 'exec', '-i', 'my dev', 'tugdeck x', '', '$(touch x)'],
  ]);
  expect(() => splitWords(`ssh 'open`)).toThrow('not closed');
});
