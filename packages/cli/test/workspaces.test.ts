/** `tugdeck workspaces` and `send --workspace` with the real program and server, real git and a host without an agent. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BuiltCli, buildCli, CliPlace } from './built-cli.ts';

const WAIT = { timeout: 60_000, interval: 50 };

let cli: BuiltCli;
let place: CliPlace;

beforeAll(async () => {
  cli = await buildCli();
  place = new CliPlace(cli);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
      cwd: place.project,
    });
  git('init', '-q', '-b', 'main');
  writeFileSync(join(place.project, 'a.txt'), 'a\n');
  writeFileSync(join(place.project, '.gitignore'), '.env\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'one');
  writeFileSync(join(place.project, '.env'), 'A=1\n');
});
afterAll(async () => {
  await place.clear();
  cli.remove();
});

test('B1 B60 B67 creates, archives and restores a workspace, and sends to a new one', async () => {
  const before = await place.run(['workspaces', 'list']);
  expect(before).toMatchObject({ code: 1, err: expect.stringContaining('No server is running') });
  await place.start(['--trust']);

  const made = await place.run(['workspaces', 'new', 'Fix', 'the', 'login']);
  const path = made.out.trim();
  expect(made).toMatchObject({ code: 0, err: 'Copied .env.\n' });
  expect(readFileSync(join(path, '.env'), 'utf8')).toBe('A=1\n');
  writeFileSync(join(path, 'new.txt'), 'new\n');
  expect((await place.run(['workspaces', 'path', 'fix-the-login'])).out.trim()).toBe(path);

  const dry = await place.run(['workspaces', 'archive', 'fix-the-login', '--dry-run']);
  expect(dry).toMatchObject({ code: 0, out: '', err: expect.stringContaining('1 new and 0 staged files') });
  expect(existsSync(path)).toBe(true);
  const archived = await place.run(['workspaces', 'archive', 'fix-the-login', '--json']);
  expect(JSON.parse(archived.out)).toMatchObject({ name: 'fix-the-login', state: 'archived' });
  expect(existsSync(path)).toBe(false);
  expect((await place.run(['workspaces', 'forget', 'fix-the-login'])).code).toBe(3);
  expect((await place.run(['workspaces', 'restore', 'fix-the-login'])).code).toBe(0);
  expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('new\n');

  const sent = await place.run(['send', '--workspace', 'new', 'Explain', 'the', 'code']);
  expect(sent).toMatchObject({ code: 0 });
  const config = JSON.parse(
    readFileSync(join(place.data, 'sessions', sent.out.trim(), 'fake-config.json'), 'utf8'),
  );
  expect(config.environment.TUGDECK_WORKSPACE).toBe('explain-the-code');
  const rows = JSON.parse((await place.run(['workspaces', 'list', '--json'])).out);
  expect(rows.map(({ name }: { name: string }) => name)).toEqual(['fix-the-login', 'explain-the-code']);
  expect(config.directory).toBe(rows[1].path);
});

test('B37 B39 B40 starts two agents on one message, compares them, and archives the one that is not chosen', async () => {
  const file = join(place.data, 'config.json');
  const config = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...config, maxLiveHosts: 1 }));
  const agent = JSON.parse((await place.run(['sessions', 'list', '--json'])).out.split('\n')[0] ?? '[]')[0]
    ?.agent;
  const start = ['attempts', 'Make', 'it', 'faster', '--agents'];
  for (const agents of [agent, Array(7).fill(agent).join(), `${agent},`])
    expect(await place.run([...start, agents])).toMatchObject({ code: 2, out: '' });
  const started = await place.run([...start, `${agent},${agent}:small`]);
  expect(started).toMatchObject({ code: 0, err: expect.stringContaining('of 2 attempts will be queued.') });
  const [id = '', first = '', second = ''] = started.out.trim().split('\n');
  expect([first, second].map((line) => line.split('\t').slice(0, 3))).toEqual([
    ['A', agent, ''],
    ['B', agent, 'small'],
  ]);
  const sessions = [first, second].map((line) => line.split('\t')[3] ?? '');
  const configOf = (session: string) => join(place.data, 'sessions', session, 'fake-config.json');
  for (const session of sessions) await expect.poll(() => existsSync(configOf(session)), WAIT).toBe(true);
  const directories = sessions.map(
    (session) => JSON.parse(readFileSync(configOf(session), 'utf8')).directory,
  );
  writeFileSync(join(directories[1], 'b.txt'), 'b\n');
  const compared = await place.run(['attempts', '--compare', id]);
  expect(compared.out.split('\n').map((line) => line.split('\t').slice(0, 3))).toMatchObject([
    ['A', agent, '0 files +0 -0'],
    ['B', `${agent}:small`, '1 file +1 -0'],
    ['B', 'b.txt'],
    [''],
  ]);
  expect((await place.run(['attempts', '--choose', sessions[1] ?? ''])).code).toBe(3);
  expect(existsSync(directories[0])).toBe(true);
  expect(await place.run(['attempts', '--choose', sessions[1] ?? '', '--yes'])).toMatchObject({ code: 0 });
  expect(directories.map((path) => existsSync(path))).toEqual([false, true]);
  expect((await place.run(['attempts'])).out).toMatch(/\tchosen: B\tfrom main [0-9a-f]{8}\tMake it faster\n/);
  await place.run(['stop', '--all']);
});
