/** Terminals through the whole server: real PTYs in the real terminal host, the page simulated in code. */
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { openLedger } from '@tugdeck/local/ledger';
import { MARK } from '@tugdeck/local/process-ending';
import { findByEnvironment, identify, isRunning } from '@tugdeck/local/process-identity';
import { withTimings } from '@tugdeck/local/timings';
import { endTerminals } from '@tugdeck/machine/terminals/end-terminals';
import type { TerminalInfo } from '@tugdeck/protocol/terminal/terminal';
import { encodeFrame, FEED } from '@tugdeck/protocol/wire/frames';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bundleTerminalHost } from '../../terminal-host/test/bundled-host.ts';
import type { RunningServer } from '../src/main.ts';
import { signIn, TestPage, type TestPlace, TIMINGS, testPlace } from './test-server.ts';

const SIZE = { cols: 80, rows: 24 };
const SHELL = { type: 'shell' } as const;

let program = '';
let place: TestPlace;
let server: RunningServer;
let page: TestPage;
let project = '';
let channels = 0;

beforeAll(async () => {
  program = await bundleTerminalHost();
});
afterAll(() => rmSync(dirname(program), { recursive: true }));

beforeEach(async () => {
  place = testPlace();
  await startServer();
});
afterEach(async () => {
  await page.close().catch(() => undefined);
  await server.close();
  await endTerminals(ledger(), withTimings(TIMINGS));
  await place.clear();
});

const ledger = () => openLedger(dataDirectory(place.root).ledger);
/** Our own tmux server, not that of the user who runs the tests. */
const tmuxPlace = () => ({ TMUX_TMPDIR: place.root });
const hostRecord = () => ledger().get('terminals');

async function startServer(): Promise<void> {
  server = await place.start({ programs: { host: '/nonexistent', terminals: program, build: 'test-build' } });
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: place.root,
    SHELL: '/bin/sh',
    PS1: '$ ',
    ...tmuxPlace(),
  };
  const added = await server.add(place.project, environment);
  project = added.project;
  page = await TestPage.open(server, await signIn(added.url));
  await page.welcome();
}

async function feed(about: object = {}): Promise<number> {
  const channel = ++channels;
  const opened = await page.request({
    type: 'feed.open',
    channel,
    feed: 'terminal',
    about: { project, ...about },
  });
  if (opened.type === 'error') throw Object.assign(new Error(opened.message), { code: opened.code });
  return channel;
}

const call = (channel: number, request: object) => page.call('terminal', channel, request);

async function create(list: number, fields: object = {}): Promise<string> {
  const terminal = randomUUID();
  await call(list, { type: 'create', terminal, runs: SHELL, size: SIZE, ...fields });
  return terminal;
}

async function attach(terminal: string, history = false): Promise<number> {
  const channel = await feed({ terminal });
  await call(channel, { type: 'attach', history });
  return channel;
}

function type(channel: number, text: string): void {
  page.socket.send(encodeFrame(FEED.terminalIn, channel, new TextEncoder().encode(text)));
}

/** Everything a channel received since its last screen. */
function shown(channel: number): string {
  let text = '';
  const decoder = new TextDecoder();
  for (const message of page.received) {
    if (!('channel' in message) || message.channel !== channel) continue;
    if (
      'feed' in message &&
      'push' in message.feed &&
      (message.feed.push as { type: string }).type === 'screen'
    )
      text = '';
    if ('bytes' in message) text += decoder.decode(message.bytes);
  }
  return text;
}

const shows = (channel: number, text: string | RegExp) =>
  expect.poll(() => shown(channel)).toEqual(expect.stringMatching(text));

const terminals = async (list: number) =>
  ((await call(list, { type: 'list' })) as { terminals: TerminalInfo[] }).terminals;

describe('W1 terminals of a project', () => {
  test("W1 a shell in the project directory, with the project's environment", async () => {
    const list = await feed();
    expect(await terminals(list)).toEqual([]);
    const looking = await attach(await create(list));
    type(looking, 'pwd; echo "$TERM $HOME $NODE_OPTIONS"; test "$TUGDECK_MARK" && echo marked; stty size\r');
    await shows(looking, new RegExp(`${place.project}\\s+xterm-256color ${place.root}\\s+marked\\s+24 80`));
    expect(await terminals(list)).toMatchObject([
      { project, number: 1, state: { type: 'running' }, ...SIZE },
    ]);
  });

  test('W1 terminals are named, numbered and listed on every page', async () => {
    const list = await feed();
    await terminals(list);
    const first = await create(list, { name: 'build' });
    const second = await create(list);
    await page.push(list, (push) => (push as { terminals: unknown[] }).terminals.length === 2);
    await call(list, { type: 'rename', terminal: second, name: '  logs ' });
    await expect.poll(async () => (await terminals(list)).map(({ name }) => name)).toEqual(['build', 'logs']);
    await call(list, { type: 'close', terminal: first });
    await expect.poll(async () => (await terminals(list)).map(({ id }) => id)).toEqual([second]);
    const third = await create(list);
    expect((await terminals(list)).find(({ id }) => id === third)?.number).toBe(1);
  });

  test('W1 creating a terminal twice with one id makes one', async () => {
    const list = await feed();
    const terminal = await create(list);
    await call(list, { type: 'create', terminal, runs: SHELL, size: SIZE });
    expect(await terminals(list)).toHaveLength(1);
  });

  test('W1 an ended terminal is restarted on its screen', async () => {
    const list = await feed();
    const terminal = await create(list);
    const looking = await attach(terminal);
    type(looking, 'echo first; exit 7\r');
    await page.push(
      looking,
      (push) => (push as { terminal?: TerminalInfo }).terminal?.state.type === 'exited',
    );
    await expect.poll(async () => (await terminals(list))[0]?.state).toEqual({ type: 'exited', code: 7 });
    await call(list, { type: 'restart', terminal });
    type(looking, 'echo sec""ond\r');
    await shows(looking, /first[\s\S]*second/);
  });

  test('W10 terminals survive a server restart, and the next server shows their screen', async () => {
    const list = await feed();
    const terminal = await create(list);
    const looking = await attach(terminal);
    type(looking, 'X=kept; echo be""fore\r');
    await shows(looking, 'before');
    const host = hostRecord()?.identity;
    await page.close();
    await server.close();
    expect(host && isRunning(host)).toBe(true);
    await startServer();
    expect(await terminals(await feed())).toMatchObject([{ id: terminal, state: { type: 'running' } }]);
    const again = await attach(terminal);
    await shows(again, 'before');
    type(again, 'echo "$X it was"\r');
    await shows(again, 'kept it was');
    expect(hostRecord()?.identity).toEqual(host);
  });

  test('W1 a host that dies is reported and cleaned up, and another replaces it', async () => {
    const list = await feed();
    const terminal = await create(list);
    const looking = await attach(terminal);
    const survivor = join(place.root, 'survivor');
    type(looking, `setsid sh -c 'trap "" HUP; : > ${survivor}; exec sleep 600' &\r`);
    await expect.poll(() => existsSync(survivor)).toBe(true);
    const { identity, mark = '' } = hostRecord() ?? { identity: undefined };
    process.kill(identity?.pid ?? 0, 'SIGKILL');
    await page.push(looking, (push) => (push as { type: string }).type === 'gone');
    await expect.poll(() => findByEnvironment(MARK, mark)).toEqual([]);
    await expect(call(looking, { type: 'attach' })).rejects.toMatchObject({ code: 'TERMINAL_NOT_FOUND' });
    const next = await attach(await create(list));
    type(next, 'echo ali""ve\r');
    await shows(next, 'alive');
  });

  test('L8 ends everything in the terminals, also programs that ignore the hang-up or left their session', async () => {
    const list = await feed();
    const looking = await attach(await create(list));
    const [stubborn, astray] = [join(place.root, 'stubborn'), join(place.root, 'astray')];
    type(looking, `setsid sh -c ': > ${astray}; exec sleep 600' &\r`);
    type(looking, `sh -c 'trap "" HUP TERM; : > ${stubborn}; while :; do sleep 1; done'\r`);
    await expect.poll(() => existsSync(stubborn) && existsSync(astray)).toBe(true);
    const { identity, mark = '' } = hostRecord() ?? { identity: undefined };
    expect(findByEnvironment(MARK, mark).length).toBeGreaterThanOrEqual(3);
    expect(await endTerminals(ledger(), withTimings(TIMINGS))).toEqual({ terminals: 1, left: [] });
    expect(findByEnvironment(MARK, mark)).toEqual([]);
    expect(identity && isRunning(identity)).toBe(false);
    expect(hostRecord()).toBeUndefined();
  });

  test('W1 a host that exits just when it is needed is replaced', async () => {
    const leaving = spawn('sleep', ['600'], { stdio: 'ignore' });
    const identity = identify(leaving.pid ?? 0);
    if (!identity) throw new Error('it did not start');
    const socket = join(place.root, 'gone.sock');
    ledger().write({ id: 'terminals', purpose: 'terminals', identity, socket, secret: 'x', mark: 'none' });
    const list = feed();
    const made = list.then((channel) => create(channel));
    await list;
    leaving.kill('SIGKILL');
    const looking = await attach(await made);
    type(looking, 'echo su""cceeded\r');
    await shows(looking, 'succeeded');
    expect(hostRecord()?.identity).not.toEqual(identity);
  });

  test('W1 an unused host exits', async () => {
    await page.close();
    await server.close();
    const config = { timings: { ...TIMINGS, terminalIdleMs: 1_500 } };
    server = await place.start({
      programs: { host: '/nonexistent', terminals: program, build: 'test-build' },
      config: {
        ...config,
        agent: 'tester',
        port: 0,
        agents: { tester: { command: '/bin/true', protocol: 'acp' } },
      },
    });
    const added = await server.add(place.project, { PATH: process.env.PATH ?? '' });
    page = await TestPage.open(server, await signIn(added.url));
    await page.welcome();
    const list = await feed();
    const terminal = await create(list);
    const host = hostRecord()?.identity ?? identify(1);
    expect(host && isRunning(host)).toBe(true);
    await call(list, { type: 'close', terminal });
    await expect.poll(() => host && isRunning(host)).toBe(false);
    expect(hostRecord()).toBeUndefined();
    // Another one starts when it is needed.
    await create(list);
    expect(await terminals(list)).toHaveLength(1);
  });
});

describe('X2 refused terminal requests', () => {
  test.each([
    [
      'too many columns',
      { type: 'create', terminal: randomUUID(), runs: SHELL, size: { cols: 5000, rows: 24 } },
    ],
    ['no rows', { type: 'create', terminal: randomUUID(), runs: SHELL, size: { cols: 80, rows: 0 } }],
    ['a long name', { type: 'rename', terminal: 'x', name: 'n'.repeat(101) }],
    ['an invalid id', { type: 'create', terminal: '../etc', runs: SHELL, size: SIZE }],
    [
      'a command line of the page',
      { type: 'create', terminal: randomUUID(), runs: { type: 'command', file: '/bin/true' }, size: SIZE },
    ],
    ['a negative number of drawn bytes', { type: 'ack', bytes: -5 }],
  ])('X2 %s', async (_, request) => {
    await expect(call(await feed(), request)).rejects.toMatchObject({ code: 'INVALID_MESSAGE' });
    expect(hostRecord()).toBeUndefined();
  });

  test('W1 a terminal of another project, or an unknown one, is not found', async () => {
    const list = await feed();
    const terminal = await create(list);
    const other = await server.add(dirname(place.project), {});
    const channel = ++channels;
    await page.request({
      type: 'feed.open',
      channel,
      feed: 'terminal',
      about: { project: other.project, terminal },
    });
    await expect(call(channel, { type: 'attach' })).rejects.toMatchObject({ code: 'TERMINAL_NOT_FOUND' });
    await expect(call(channel, { type: 'close', terminal })).rejects.toMatchObject({
      code: 'TERMINAL_NOT_FOUND',
    });
    await expect(call(await feed({ terminal: 'gone' }), { type: 'attach' })).rejects.toMatchObject({
      code: 'TERMINAL_NOT_FOUND',
    });
    await expect(feed({ project: 'none' })).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
  });

  test('X1 a link without the secret receives nothing', async () => {
    await create(await feed());
    const record = hostRecord();
    const { connectTerminals } = await import('@tugdeck/machine/terminals/terminal-link');
    const events = { received: () => undefined, unreadable: () => undefined, closed: () => undefined };
    await expect(
      connectTerminals({ socket: record?.socket ?? '', secret: 'guess' }, events, 5_000),
    ).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('A41 a session that the agent does not have yet, or one of another project', async () => {
    const list = await feed();
    const session = randomUUID();
    await page.request({ type: 'session.create', session, project, agent: 'tester' });
    const runs = { type: 'session', session };
    await expect(create(list, { runs })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await expect(create(list, { runs: { type: 'session', session: 'x' } })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });

  test.skipIf(!existsSync('/usr/bin/tmux'))(
    'W14 a tmux session is listed, attached, and outlives the terminal',
    async () => {
      const tmux = (...args: string[]) =>
        execFileSync('tmux', ['-f', '/dev/null', ...args], {
          env: { ...tmuxPlace(), PATH: process.env.PATH, HOME: place.root, LANG: 'C.UTF-8' },
          encoding: 'utf8',
        });
      tmux('new-session', '-d', '-s', 'my work', 'sh');
      try {
        const list = await feed();
        expect(await call(list, { type: 'tmux' })).toEqual({
          available: true,
          sessions: [{ name: 'my work', windows: 1, attached: false }],
        });
        const terminal = await create(list, { runs: { type: 'tmux', name: 'my work' } });
        const looking = await attach(terminal);
        type(looking, 'echo in tm""ux\r');
        await shows(looking, 'in tmux');
        expect(tmux('list-clients', '-F', '#{session_name}')).toBe('my work\n');
        await call(list, { type: 'close', terminal });
        await expect.poll(() => tmux('list-clients')).toBe('');
        expect(tmux('list-sessions', '-F', '#{session_name}')).toBe('my work\n');
      } finally {
        tmux('kill-server');
      }
    },
  );

  test('W14 an unknown tmux session', async () => {
    writeFileSync(join(place.project, 'x'), '');
    const list = await feed();
    await expect(create(list, { runs: { type: 'tmux', name: '-V; rm' } })).rejects.toMatchObject({
      code: 'TERMINAL_UNAVAILABLE',
    });
  });
});
