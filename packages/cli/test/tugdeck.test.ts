import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { openLedger } from '@tugdeck/local/ledger';
import { takeLock } from '@tugdeck/local/lock';
import { identify, isRunning } from '@tugdeck/local/process-identity';
import { writeCorpus } from '@tugdeck/testkit/session-corpus';
import { Visit } from '@tugdeck/testkit/visit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BuiltCli, buildCli, CliPlace } from './built-cli.ts';

let cli: BuiltCli;
let place: CliPlace;

beforeAll(async () => {
  cli = await buildCli();
});
afterAll(() => cli.remove());
beforeEach(() => {
  place = new CliPlace(cli);
});
afterEach(() => place.clear());

const ledger = () => openLedger(dataDirectory(place.data).ledger);
const status = async () => JSON.parse((await place.run(['status', '--json'])).out);
const signsIn = (url: string) =>
  Visit.enter(url).then(
    () => true,
    () => false,
  );

describe('start', () => {
  test('L1 prints one sign-in link that works once, for the current directory', async () => {
    const { url } = await place.start();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/in\/[\w-]{43}$/);
    expect(await signsIn(url)).toBe(true);
    expect(await signsIn(url)).toBe(false);
    expect((await status()).projects).toMatchObject([{ path: realpathSync(place.project) }]);
  });

  test('L2 a second call opens its directory in the running server', async () => {
    const { url, exited } = await place.start();
    const other = join(place.base, 'other');
    mkdirSync(other);
    const second = await place.run(['../other']);
    expect(second).toMatchObject({ code: 0, err: '' });
    const [, address = ''] = /^Tugdeck is ready: (\S+)\n$/.exec(second.out) ?? [];
    expect(new URL(address).origin).toBe(new URL(url).origin);
    expect(await signsIn(address)).toBe(true);
    const { projects } = await status();
    expect(projects.map(({ path }: { path: string }) => path)).toEqual([
      realpathSync(place.project),
      realpathSync(other),
    ]);
    // Rebuilt in between: the older server keeps running, and the call says so.
    const programs = join(cli.root, 'dist/programs.json');
    const table = readFileSync(programs, 'utf8');
    writeFileSync(programs, table.replace('test-build', 'newer-build'));
    const newer = await place.run(['../other']).finally(() => writeFileSync(programs, table));
    expect(newer).toMatchObject({ code: 0, err: expect.stringContaining('from another build') });
    expect((await place.run(['stop'])).code).toBe(0);
    expect(await exited).toBe(0);
  });

  test('L2 of two simultaneous starts, one serves and the other uses it', async () => {
    const [first, second] = await Promise.all([place.start(), place.start()]);
    expect(new URL(first.url).origin).toBe(new URL(second.url).origin);
    expect(await signsIn(first.url)).toBe(true);
    expect(await signsIn(second.url)).toBe(true);
  });

  test('L2 a start waits for another server that is still stopping', async () => {
    const run = join(place.data, 'run');
    const ending = takeLock(join(run, 'server.lock'));
    const tried = new Promise<void>((resolve) => {
      const watcher = watch(run, (_event, name) => {
        if (!name?.startsWith('server.lock.')) return;
        watcher.close();
        resolve();
      });
    });
    const starting = place.start();
    await tried;
    ending.release();
    expect(await signsIn((await starting).url)).toBe(true);
  });

  test('L2 if the server stops while a directory is being opened in it, the caller starts its own', async () => {
    const identity = identify(process.pid);
    if (!identity) throw new Error('no identity');
    const socket = join(place.base, 'ending.sock');
    // It has closed its clients, and removes itself from the ledger only then.
    const ending = createServer((client) => {
      client.destroy();
      ledger().remove('server');
    });
    await new Promise<void>((resolve) => ending.listen(socket, resolve));
    ledger().write({ id: 'server', purpose: 'server', identity, socket });
    const { url } = await place.start();
    ending.close();
    expect(await signsIn(url)).toBe(true);
  });

  test('L20 a configured port is mandatory', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    const taken = (blocker.address() as { port: number }).port;
    const asked = await place.run(['--port', String(taken)]);
    expect(asked).toMatchObject({ code: 1, err: expect.stringContaining(`Port ${taken} is in use`) });
    blocker.close();
  });

  test('L22 called from the clone itself, a demo project is created in the data directory', async () => {
    await place.start([], { TUGDECK_CALLED_FROM: cli.root });
    const demo = join(place.data, 'demo-project');
    expect((await status()).projects).toMatchObject([{ path: realpathSync(demo), name: 'demo-project' }]);
    expect(existsSync(join(demo, 'README.md'))).toBe(true);
  });

  test('L22 called by npm from elsewhere, that directory is used', async () => {
    const other = join(place.base, 'other', 'sub');
    mkdirSync(other, { recursive: true });
    await place.start(['sub'], { TUGDECK_CALLED_FROM: join(place.base, 'other') });
    expect((await status()).projects).toMatchObject([{ path: realpathSync(other) }]);
  });

  test('L21 X9 the browser is opened with a private page that redirects to the address, unless disabled', async () => {
    const seen = join(place.base, 'seen');
    const browser = join(place.base, 'browser');
    writeFileSync(
      browser,
      `#!/bin/sh\n(echo "$@"; cat "$1"; env) > ${seen}.part && mv ${seen}.part ${seen}\n`,
      { mode: 0o755 },
    );
    const opened = async () => {
      await expect.poll(() => existsSync(seen)).toBe(true);
      const [page = '', ...text] = readFileSync(seen, 'utf8').split('\n');
      rmSync(seen);
      return { page, text: text.join('\n'), names: readdirSync(join(place.data, 'run')) };
    };
    const environment = { TUGDECK_NO_OPEN: '', BROWSER: browser };
    const { url, exited } = await place.start([], environment);
    const first = await opened();
    expect(dirname(first.page)).toBe(join(place.data, 'run'));
    expect(statSync(first.page).mode & 0o777).toBe(0o600);
    expect(first.text.split(url)).toHaveLength(3);
    const again = await place.run([], environment);
    const second = await opened();
    expect(second.page).not.toBe(first.page);
    expect(second.text).toContain(/http\S+/.exec(again.out)?.[0]);
    await place.run(['stop']);
    await exited;
    expect(readdirSync(join(place.data, 'run')).filter((name) => name.endsWith('.html'))).toEqual([]);
    await place.start();
    await place.run([]);
    expect(existsSync(seen)).toBe(false);
  });

  test('X9 a data directory, configuration or socket owned by others is refused by every command', async () => {
    const received: string[] = [];
    const { exited } = await place.start();
    const socket = ledger().get('server')?.socket ?? '';
    rmSync(socket);
    const fake = createServer((client) =>
      client.on('data', (data: Buffer) => received.push(data.toString())),
    );
    await new Promise<void>((resolve) => fake.listen(socket, resolve));
    chmodSync(dirname(socket), 0o755);
    for (const words of [[], ['status'], ['url'], ['stop'], ['sessions', 'search', 'x']]) {
      const ran = await place.run(words, { ANTHROPIC_API_KEY: 'sk-secret' });
      expect(ran, words.join(' ')).toMatchObject({ code: 1, err: expect.stringContaining('(DATA_UNSAFE)') });
      expect(ran.err).not.toMatch(/\n\s+at /);
    }
    expect(received).toEqual([]);
    chmodSync(dirname(socket), 0o700);
    fake.close();
    process.kill(ledger().get('server')?.identity.pid ?? 0, 'SIGKILL');
    await exited;
    const refused = async (path: string, mode: number) => {
      const { mode: before } = statSync(path);
      chmodSync(path, mode);
      for (const words of [[], ['status'], ['doctor'], ['sessions'], ['logs'], ['password', '--remove']]) {
        const ran = await place.run(words);
        expect(ran, `${words} ${path}`).toMatchObject({
          code: 1,
          out: '',
          err: expect.stringContaining('(DATA_UNSAFE)'),
        });
        expect(ran.err).toMatch(/chmod/);
      }
      chmodSync(path, before & 0o777);
    };
    await refused(place.data, 0o777);
    await refused(join(place.data, 'config.json'), 0o666);
    await refused(place.base, 0o777);
    await place.start();
  });

  test('S4 a missing directory is refused, and no server keeps running', async () => {
    const ran = await place.run(['nowhere']);
    expect(ran).toMatchObject({ code: 1, out: '', err: expect.stringContaining('PROJECT_PATH_INVALID') });
    expect(await status()).toEqual({ running: false });
  });

  test('S6 a database of a newer version is refused with its code', async () => {
    const file = dataDirectory(place.data).database;
    const head = Buffer.alloc(4096);
    head.write('SQLite format 3\0');
    head.writeUInt32BE(999, 60);
    writeFileSync(file, head);
    expect(await place.run([])).toMatchObject({ code: 1, err: expect.stringContaining('DATA_NEWER') });
    expect(readFileSync(file).equals(head)).toBe(true);
  });
});

describe('usage errors', () => {
  test.each([
    [['--prot', '1'], 'unknown option --prot'],
    [['--host', '0.0.0.0'], '--host 0.0.0.0'],
    [['replay', '--json', 'x.jsonl'], '--agent'],
    [['sessions', 'show', 'x', '--html'], '--html only works with sessions export'],
    [['send', '--new', ' '], 'nothing to send'],
  ])('L3 %j exits with 2', async (words, message) => {
    expect(await place.run(words)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(message) });
  });

  test('L3 help and version answer at once', async () => {
    expect(await place.run(['--version'])).toMatchObject({ code: 0, out: '1.2.3\n' });
    const help = await place.run(['--help']);
    expect(help.code).toBe(0);
    expect(help.out).toContain('TUGDECK_PORT');
  });

  test('L26 a reader that closes the pipe is not an error', async () => {
    const child = place.spawn(['--help']);
    child.stdout?.destroy();
    let output = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    expect(output).toBe('');
  });
});

describe('stop, status, url', () => {
  test('L2 without a server they say so', async () => {
    expect(await place.run(['status'])).toMatchObject({ code: 1, out: 'No server is running.\n' });
    expect(await place.run(['url'])).toMatchObject({ code: 1, out: '' });
    expect(await place.run(['stop'])).toMatchObject({ code: 0, out: 'No server is running.\n' });
  });

  test('L2 url prints a new address each time', async () => {
    await place.start();
    const [first, second] = [await place.run(['url']), await place.run(['url'])];
    expect(first.out).not.toBe(second.out);
    expect(await signsIn(first.out.trim())).toBe(true);
    expect(await signsIn(second.out.trim())).toBe(true);
    expect((await place.run(['status'])).out).toContain(new URL(first.out).origin);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'L8 on %s it stops listening and leaves nothing behind',
    async (signal) => {
      const { child, url, exited } = await place.start();
      child.kill(signal);
      expect(await exited).toBe(0);
      expect((await fetch(url)).status).toBe(503);
      expect(ledger().read()).toMatchObject([{ id: 'keeper' }]);
    },
  );

  test('L8 a killed server does not block the next one', async () => {
    const { child, exited } = await place.start();
    child.kill('SIGKILL');
    await exited;
    const { url } = await place.start();
    expect(await signsIn(url)).toBe(true);
  });
});

describe('replay', () => {
  const fixtures = fileURLToPath(new URL('../../drivers/src/claude/fixtures/', import.meta.url));

  test('M14 a recording is folded without starting a process', async () => {
    const { code, out } = await place.run([
      'replay',
      '--agent',
      'claude',
      '--json',
      join(fixtures, 'edit.jsonl'),
    ]);
    expect(code).toBe(0);
    const { entries, turn, unrecognized } = JSON.parse(out);
    expect(entries.map(({ kind }: { kind: string }) => kind)).toEqual(
      expect.arrayContaining(['user', 'tool', 'text']),
    );
    expect(entries.map(({ seq }: { seq: number }) => seq)).toEqual(
      entries.map((_: unknown, index: number) => index),
    );
    expect(turn).toBe('idle');
    expect(unrecognized.count).toBe(0);
  });

  test('M14 a file of another protocol exits with 2 and its code', async () => {
    const file = join(place.base, 'other.jsonl');
    writeFileSync(
      file,
      `${JSON.stringify({ t: 1, dir: 'out', line: { jsonrpc: '2.0', id: 1, result: {} } })}\n`,
    );
    expect(await place.run(['replay', '--agent', 'claude', '--json', file])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('AGENT_PROTOCOL_ERROR'),
    });
  });

  test('M14 an unknown agent and a missing file are named', async () => {
    const file = join(fixtures, 'edit.jsonl');
    expect(await place.run(['replay', '--agent', 'nobody', '--json', file])).toMatchObject({ code: 1 });
    expect(await place.run(['replay', '--agent', 'claude', 'nothing.jsonl'])).toMatchObject({ code: 2 });
  });
});

test('L8 stop --all ends the hosts that a stopped server left', async () => {
  await place.start(['--trust']);
  const session = await createSession();
  await expect.poll(() => ledger().get(`host-${session}`)).toBeDefined();
  const host = ledger().get(`host-${session}`);
  expect((await place.run(['stop'])).out).toBe('Server stopped.\n');
  expect(host && isRunning(host.identity)).toBe(true);
  expect(await place.run(['stop', '--all'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('Ended 1 session.'),
  });
  expect(host && isRunning(host.identity)).toBe(false);
  expect(ledger().read()).toEqual([]);
});

/** Like a page does it, in the fewest messages. */
async function createSession(): Promise<string> {
  const url = (await place.run(['url'])).out.trim();
  const { encodeFrame, FEED } = await import('@tugdeck/protocol/wire/frames');
  const socket = await (await Visit.enter(url)).socket();
  const session = crypto.randomUUID();
  const [project] = (await status()).projects;
  const request = { type: 'session.create', id: '1', session, project: project.id, agent: 'tester' };
  const answered = new Promise((resolve) => socket.once('message', resolve));
  socket.send(encodeFrame(FEED.deck, 0, new TextEncoder().encode(JSON.stringify(request))));
  await answered;
  socket.close();
  return session;
}

test('L6 A40 external sessions are listed, shown and exported, without a server and without writing anything', async () => {
  const { large } = writeCorpus({
    home: place.base,
    directories: [place.project],
    claude: 2,
    codex: 1,
    // Longer than one read.
    large: [3_000_000],
  });
  const [long] = large;
  const { id } = JSON.parse((await place.run(['sessions', 'list', '--all', '--json'])).out).find(
    (row: { title: string }) => row.title.startsWith('Task 2.0'),
  );
  expect((await place.run(['sessions', 'list'])).out).toBe('No sessions.\n');
  expect((await place.run(['sessions', 'list', '--all'])).out.trim().split('\n')).toHaveLength(4);
  const shown = JSON.parse((await place.run(['sessions', 'show', id, '--json'])).out);
  const asked = shown.entries.filter(({ kind }: { kind: string }) => kind === 'user');
  expect(asked.map(({ text }: { text: string }) => text.split(':')[0])).toEqual(
    asked.map((_: unknown, turn: number) => `Task 2.${turn}`),
  );
  expect(asked.length).toBeGreaterThan(10);
  // Also by the agent's own id.
  const exported = await place.run(['sessions', 'export', long?.session ?? '']);
  expect(exported.out).toContain('# Task 2.0');
  expect(exported.out).toContain(`Done with ${asked.length - 1}.`);
  expect((await place.run(['sessions', 'show', 'ffffffff'])).err).toContain('SESSION_NOT_FOUND');
});
