/**
 * Attacks on sign-in by programs that are not browsers: odd addresses, several requests on one connection, a password
 * change during a check.
 */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Visit } from '@tugdeck/testkit/visit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunningServer } from '../src/main.ts';
import { savePassword, verifyPassword } from '../src/transport/password.ts';
import { createThrottle } from '../src/transport/throttle.ts';
import { fetchAs, pageWithSession, signIn, TestPage, type TestPlace, testPlace } from './test-server.ts';

let place: TestPlace;
let server: RunningServer;

beforeEach(async () => {
  place = testPlace();
  server = await place.start();
});
afterEach(() => place.clear());

const freshUrl = async () => (await server.add(place.project, {})).url;
const host = () => `127.0.0.1:${server.port}`;

/** Response to these exact bytes; the other side must close. */
function answerTo(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1');
    let response = '';
    socket.on('data', (chunk: Buffer) => {
      response += chunk.toString();
    });
    socket.on('error', reject).on('close', () => resolve(response));
    socket.write(text);
  });
}

describe('addresses that no browser sends', () => {
  test.each(['//', '//ws', 'http://[', 'ws://x:99999/ws', '/\\:@', '/%zz', '/ws/../ws', '*', '?'])(
    'X1 X2 an upgrade to %s is refused, and crashes nothing',
    async (address) => {
      const answer = await answerTo(
        `GET ${address} HTTP/1.1\r\nHost: ${host()}\r\nOrigin: ${server.origin}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 40[04] /);
    },
  );

  test.each([
    '/%zz.js',
    '/%',
    '/%c3%28.js',
    `/in/${'x'.repeat(150)}`,
    '//x.js',
    '/a\\b.js',
    '/api/blob/%zz/x',
  ])('X30 a service worker left at %s is removed', async (address) => {
    const answer = await answerTo(
      `GET ${address} HTTP/1.1\r\nHost: ${host()}\r\nService-Worker: script\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/^service-worker-allowed: \/\r$/im);
    expect(answer).toContain('unregister()');
  });
});

describe('responses in progress when a sign-in ends', () => {
  const LARGE = 20_000_000;
  let visit: Visit;
  let large: string;

  beforeEach(async () => {
    const { visit: mine, project } = await pageWithSession(place, server);
    visit = mine;
    writeFileSync(join(place.project, 'large.bin'), Buffer.alloc(LARGE));
    large = `/api/file/raw?${new URLSearchParams({ project, path: 'large.bin', keep: '1' })}`;
  });

  /** Sends all requests at once on one connection, and reads until the last one is being answered. */
  async function download(...paths: string[]): Promise<Socket> {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    let requests = '';
    for (const path of paths) {
      const { authorization } = await visit.proof(path);
      requests += `GET ${path} HTTP/1.1\r\nHost: ${host()}\r\nAuthorization: ${authorization}\r\n\r\n`;
    }
    socket.write(requests);
    let head = '';
    while (!head.includes('octet-stream')) {
      await new Promise((resolve) => socket.once('readable', resolve));
      head += (socket.read() as Buffer | null)?.toString('latin1') ?? '';
    }
    return socket;
  }

  async function rest(socket: Socket): Promise<number> {
    let got = 0;
    socket.on('data', (chunk: Buffer) => {
      got += chunk.length;
    });
    await new Promise((resolve) => socket.once('close', resolve));
    return got;
  }

  test('X29 are aborted, also behind another request on the same connection', async () => {
    const other = await TestPage.open(server, await signIn(await freshUrl()));
    await other.request({ type: 'feed.open', channel: 9, feed: 'settings', about: {} });
    const socket = await download('/api/me', large);
    await other.call('settings', 9, { type: 'revoke', signIn: visit.signIn });
    expect(await rest(socket)).toBeLessThan(LARGE - 1_000_000);
  });

  test('X29 are aborted when the user signs out, who still gets the answer', async () => {
    const socket = await download(large);
    const headers = { origin: server.origin };
    const out = await fetchAs(visit, `${server.origin}/api/sign-out`, { method: 'POST', headers });
    expect(out.status).toBe(204);
    expect(await rest(socket)).toBeLessThan(LARGE - 1_000_000);
  });
});

describe('many requests in one packet', () => {
  test('X2 are not all held in memory: the connection is closed', async () => {
    writeFileSync(join(place.web, 'assets', 'large.js'), Buffer.alloc(1_000_000, ' '));
    const request = `GET /assets/large.js HTTP/1.1\r\nHost: ${host()}\r\n\r\n`;
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume().write(request.repeat(500));
    await closed;
    expect((await fetch(`${server.origin}/assets/large.js`)).status).toBe(200);
  });

  test('X2 are answered one after another if they are few', async () => {
    const request = `GET / HTTP/1.1\r\nHost: ${host()}\r\n`;
    const answers = await answerTo(`${request}\r\n${request}\r\n${request}Connection: close\r\n\r\n`);
    expect(answers.match(/HTTP\/1\.1 200 /g)).toHaveLength(3);
  });
});

describe('the password', () => {
  test('X20 is wrong if it was replaced during the check', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tugdeck-password-'));
    try {
      const [file, next] = [join(folder, 'password'), join(folder, 'next')];
      await savePassword(file, 'the old password');
      await savePassword(next, 'the new password');
      const checking = verifyPassword(file, 'the old password');
      copyFileSync(next, file);
      expect(await checking).toBe(false);
      expect(await verifyPassword(file, 'the new password')).toBe(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('X20 can be tried again soon after the clock was set back by hours', () => {
    let clock = 10 * 3_600_000;
    const throttle = createThrottle(() => clock);
    for (let count = 0; count < 5; count++) throttle.attempt('10.0.0.1');
    for (let count = 0; count < 25; count++) throttle.attempt(`10.1.0.${count}`);
    clock -= 5 * 3_600_000;
    expect(throttle.attempt('10.0.0.1')).toBeLessThanOrEqual(60_000);
    clock += 60_000;
    expect(throttle.attempt('10.0.0.1')).toBe(0);
  });
});
