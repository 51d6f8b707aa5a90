/** `tugdeck machine` and `tugdeck NAME:PATH` with the real command, and a second data directory as the other machine. */
import { mkdirSync, readFileSync } from 'node:fs';
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
