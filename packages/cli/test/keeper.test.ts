/** The port keeper with the real command: what survives a server, and what does not. */
import { readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { openLedger } from '@tugdeck/local/ledger';
import { isRunning } from '@tugdeck/local/process-identity';
import { freePort } from '@tugdeck/testkit/free-port';
import { isFullTier } from '@tugdeck/testkit/tiers';
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
  place.configure({ port: undefined });
});
afterEach(() => place.clear());

const keeper = () => openLedger(dataDirectory(place.data).ledger).get('keeper');
const status = async (visit: Visit) => (await visit.fetch('/api/me')).status;

/** Whether anything listens there. */
function isListening(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

describe('the port', () => {
  test('L20 is random, below the ephemeral range, and different for every data directory', async () => {
    const other = new CliPlace(cli);
    other.configure({ port: undefined });
    try {
      const ports = [await place.start(), await other.start()].map(({ url }) => Number(new URL(url).port));
      for (const port of ports) {
        expect(port).toBeGreaterThanOrEqual(7_000);
        expect(port).toBeLessThan(17_000);
      }
      expect(ports[0]).not.toBe(ports[1]);
    } finally {
      await other.clear();
    }
  });

  test.each([
    ['stopped', async () => void (await place.run(['stop']))],
    ['killed', async (child: { kill(signal: 'SIGKILL'): unknown }) => void child.kill('SIGKILL')],
  ])('X28 L8 is never released while a server was %s, and sign-ins stay valid', async (_how, end) => {
    const first = await place.start();
    const { origin, port } = new URL(first.url);
    const visit = await Visit.enter(first.url);
    const unused = (await place.run(['url'])).out.trim();
    const socket = await visit.socket();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await end(first.child);
    await first.exited;
    await closed;
    // Nobody else can take it, and requests are answered by the keeper.
    const squatter = createServer();
    const refused = await new Promise((resolve) => {
      squatter.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
      squatter.listen(Number(port), '127.0.0.1', () => resolve('it could'));
    });
    expect(refused).toBe('EADDRINUSE');
    const offline = await fetch(`${origin}/`, { headers: { connection: 'close' } });
    expect(offline.status).toBe(503);
    expect(await offline.text()).toContain('Tugdeck is not running');
    expect(await visit.access.checkSignIn()).toBe('stopped');
    const second = await place.start();
    expect(new URL(second.url).origin).toBe(origin);
    expect(await status(visit)).toBe(200);
    (await visit.socket()).close();
    // An address issued by the previous server is no longer valid.
    await expect(Visit.enter(unused)).rejects.toThrow('did not sign in');
  });

  test('X28 a killed keeper ends every sign-in and sign-in link, and the server moves to another port', async () => {
    const { child, url } = await place.start();
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    const visit = await Visit.enter(url);
    const unused = new URL((await place.run(['url'])).out.trim());
    const socket = await visit.socket();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const before = keeper();
    if (!before) throw new Error('no keeper');
    process.kill(before.identity.pid, 'SIGKILL');
    await closed;
    await expect.poll(() => printed).toMatch(/Tugdeck is ready: \S+\/in\/\S+/);
    const fresh = new URL(/Tugdeck is ready: (\S+)/.exec(printed)?.[1] ?? '');
    expect(fresh.origin).not.toBe(visit.origin);
    expect(await isListening(Number(new URL(visit.origin).port))).toBe(false);
    // The old sign-in and an unused sign-in link, tried at the new port.
    const own = await visit.access.credentials();
    if (!own) throw new Error('not signed in');
    const carried = await Visit.of(fresh.origin, own);
    await expect(carried.socket()).rejects.toMatchObject({ status: 401 });
    await expect(Visit.enter(`${fresh.origin}${unused.pathname}`)).rejects.toThrow('did not sign in');
    expect(await status(await Visit.enter(fresh.href))).toBe(200);
  });

  test('X28 a fixed port taken by another program gets no address until it is free again', async () => {
    const blocker = createServer((client) => client.destroy());
    const port = await freePort();
    const { child } = await place.start(['--port', String(port)]);
    const before = keeper();
    if (!before) throw new Error('no keeper');
    // A stopped server cannot start another keeper before the blocker has the port.
    child.kill('SIGSTOP');
    process.kill(before.identity.pid, 'SIGKILL');
    await expect
      .poll(
        () =>
          new Promise((resolve) => {
            blocker.once('error', () => resolve(false));
            blocker.listen(port, '127.0.0.1', () => resolve(true));
          }),
      )
      .toBe(true);
    child.kill('SIGCONT');
    await expect.poll(async () => (await place.run(['url'])).code).toBe(1);
    await new Promise((resolve) => blocker.close(resolve));
    await expect.poll(async () => (await place.run(['url'])).code).toBe(0);
  });

  test('X28 L8 stop --all releases it, and the next one is different', async () => {
    const first = await place.start();
    const visit = await Visit.enter(first.url);
    const before = keeper();
    expect(await place.run(['stop', '--all'])).toMatchObject({ code: 0 });
    expect(before && isRunning(before.identity)).toBe(false);
    expect(await isListening(Number(new URL(first.url).port))).toBe(false);
    const second = await place.start();
    const own = await visit.access.credentials();
    const carried = own && (await Visit.of(new URL(second.url).origin, own));
    await expect(carried?.socket()).rejects.toMatchObject({ status: 401 });
  });

  test('X28 without a server and its data directory, a keeper exits by itself', async () => {
    place.configure({ port: undefined, timings: { farewellMs: 200, terminateMs: 200, leaseMs: 50 } });
    await place.start();
    await place.run(['stop']);
    const before = keeper();
    if (!before) throw new Error('no keeper');
    rmSync(join(place.data, 'run'), { recursive: true });
    await expect.poll(() => isRunning(before.identity)).toBe(false);
  });

  test('X28 a server that cannot start leaves no keeper behind', async () => {
    const { openDatabase } = await import('@tugdeck/store/database');
    const newer = openDatabase(dataDirectory(place.data).database);
    newer.exec('PRAGMA user_version = 999;');
    newer.close();
    expect(await place.run([])).toMatchObject({ code: 1, err: expect.stringContaining('DATA_NEWER') });
    await expect.poll(() => keeper()).toBeUndefined();
  });

  test('X28 another configured port or address starts another keeper', async () => {
    const first = await place.start();
    await place.run(['stop']);
    const before = keeper();
    const second = await place.start(['--host', 'localhost']);
    expect(new URL(second.url).hostname).toBe('localhost');
    expect(before && isRunning(before.identity)).toBe(false);
    expect(await isListening(Number(new URL(first.url).port))).toBe(false);
  });

  test('X21 localhost covers both of its addresses: nobody else can take the other', async () => {
    const { url } = await place.start(['--host', 'localhost']);
    const port = Number(new URL(url).port);
    expect(await isListening(port, '127.0.0.1')).toBe(true);
    expect(await isListening(port, '::1')).toBe(true);
    await place.run(['stop', '--all']);
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(port, '::1', resolve));
    const refused = await place.run(['--host', 'localhost', '--port', String(port)]);
    squatter.close();
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`Port ${port} is in use`) });
  });

  test("X28 TLS works through the keeper, and the server sees the browsers' addresses", async () => {
    const tls = (name: string) => fileURLToPath(new URL(`../../gateway/test/tls/${name}`, import.meta.url));
    const password = place.spawn(['password']);
    password.stdin?.end('correct horse battery');
    await new Promise((resolve) => password.once('exit', resolve));
    const { url } = await place.start([
      '--host',
      '127.0.0.2',
      '--tls-cert',
      tls('cert.pem'),
      '--tls-key',
      tls('key.pem'),
    ]);
    expect(url).toMatch(/^https:/);
    const { request } = await import('node:https');
    const send: typeof fetch = (input, init = {}) =>
      new Promise((resolve, reject) => {
        const headers = { origin: new URL(url).origin, ...(init.headers as Record<string, string>) };
        const options = { method: init.method ?? 'GET', headers, rejectUnauthorized: false, agent: false };
        request(new URL(String(input)), options, (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => {
            text += chunk.toString();
          });
          response.on('end', () => resolve(new Response(text || null, { status: response.statusCode ?? 0 })));
        })
          .on('error', reject)
          .end(init.body as string | undefined);
      });
    const visit = await Visit.enter(url, { send });
    expect(await status(visit)).toBe(200);
    const { openStore } = await import('@tugdeck/store/store');
    const store = openStore(dataDirectory(place.data).database);
    const [row] = store.signIns.list(Date.now());
    store.close();
    expect(row?.address).toBe('127.0.0.1');
  });
});

describe('connections', () => {
  test('X2 that are silent are closed within seconds', async () => {
    const { url } = await place.start();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('close', resolve));
  });

  test.runIf(isFullTier && process.platform === 'linux')(
    'X2 in a flood with few file descriptors, open connections stay, and signed-in users get in',
    async () => {
      const { url } = await place.start([], {}, 256);
      const { port, host } = new URL(url);
      const visit = await Visit.enter(url);
      const socket = await visit.socket();
      const head = `GET / HTTP/1.1\r\nHost: ${host}\r\n`;
      const flood = new Set<Socket>();
      let came = 0;
      let most = 0;
      const { pid = 0 } = keeper()?.identity ?? {};
      const openFiles = () => readdirSync(`/proc/${pid}/fd`).length;
      let isOver = false;
      // Closed connections come again, sending something or nothing.
      const come = (says: string) => {
        const one = connect(Number(port), '127.0.0.1', () => one.write(says));
        flood.add(one);
        came++;
        most = Math.max(most, openFiles());
        one.on('error', () => undefined);
        one.once('close', () => flood.delete(one) && !isOver && come(says));
      };
      for (let i = 0; i < 300; i++) come(i % 4 === 0 ? '' : head);
      await expect.poll(() => came, { timeout: 60_000 }).toBeGreaterThan(600);
      const pong = new Promise((resolve) => socket.once('pong', resolve));
      socket.ping();
      await pong;
      // During the flood, a browser that retries now and then gets in.
      const enter = () =>
        visit.socket().then(
          (one) => one.close(),
          () => 'refused',
        );
      await expect.poll(enter, { timeout: 30_000 }).toBeUndefined();
      isOver = true;
      for (const one of flood) one.destroy();
      await expect.poll(() => status(visit).catch(() => 0), { timeout: 20_000 }).toBe(200);
      (await visit.socket()).close();
      // The keeper never reached its limit: there, only clients faster than the flood get in.
      expect(most).toBeLessThan(240);
      expect(socket.readyState).toBe(socket.OPEN);
      socket.close();
    },
  );

  test('X28 to the keeper itself need its secret', async () => {
    await place.start();
    const record = keeper();
    if (!record?.socket) throw new Error('no keeper');
    for (const line of [
      '{"type":"hello","secret":"x"}',
      '{"type":"serve","socket":"/tmp/x"}',
      '{"type":"end"}',
      'x',
      '',
    ]) {
      const socket = connect(record.socket);
      let output = '';
      socket.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
      socket.on('error', () => undefined);
      socket.write(`${line}\n`);
      if (line === '') socket.end();
      await new Promise((resolve) => socket.once('close', resolve));
      expect([line, output]).toEqual([line, '']);
    }
    expect(isRunning(record.identity)).toBe(true);
  });
});
