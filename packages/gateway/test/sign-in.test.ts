import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { FEED } from '@tugdeck/protocol/wire/frames';
import {
  addressProofText,
  requestProofText,
  writeAuthorization,
  writeSignedAddress,
} from '@tugdeck/protocol/wire/proof';
import { Refused, Visit } from '@tugdeck/testkit/visit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import type { RunningServer } from '../src/main.ts';
import { CONTENT_SECURITY_POLICY, policyOf, securityHeaders } from '../src/transport/security-headers.ts';
import {
  fetchAs,
  fetchUrl,
  pageWithSession,
  signIn,
  TestPage,
  type TestPlace,
  testPlace,
} from './test-server.ts';

let place: TestPlace;
let server: RunningServer;
let clock: number;

beforeEach(async () => {
  clock = Date.now();
  place = testPlace();
  server = await place.start({ now: () => clock });
});
afterEach(() => place.clear());

const freshUrl = async () => (await server.add(place.project, {})).url;
const me = () => `${server.origin}/api/me`;

describe('sign-in', () => {
  test('X23 a sign-in link serves the page, and its token gives a sign-in for 30 days', async () => {
    const url = await freshUrl();
    const page = await fetchUrl(url);
    expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(page.body).toContain('<title>page</title>');
    const visit = await signIn(url);
    expect((await fetchAs(visit, me())).status).toBe(200);
  });

  test('X24 no response sets a cookie, and no cookie grants access', async () => {
    const url = await freshUrl();
    const visit = await signIn(url);
    const { authorization = '' } = await visit.proof('/api/me');
    const answers = [await fetchUrl(url), await fetchUrl(`${server.origin}/`), await fetchAs(visit, me())];
    for (const { headers } of answers) expect(headers['set-cookie']).toBeUndefined();
    for (const cookie of [authorization, `tugdeck=${visit.signIn}`, `tugdeck=${authorization}`]) {
      expect((await fetchUrl(me(), { headers: { cookie } })).status).toBe(401);
    }
  });

  test('X23 a token works once, even for two simultaneous requests', async () => {
    const url = await freshUrl();
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => Visit.enter(url)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(signIn(url)).rejects.toThrow('did not sign in');
  });

  test('X23 an expired or unknown token gives nothing', async () => {
    const url = await freshUrl();
    clock += 10 * 60_000;
    await expect(signIn(url)).rejects.toThrow('did not sign in');
    await expect(signIn(`${server.origin}/in/${'a'.repeat(43)}`)).rejects.toThrow('did not sign in');
  });

  test('X23 loading an address does not use it up', async () => {
    const url = await freshUrl();
    await fetchUrl(url, { method: 'HEAD' });
    await fetchUrl(url);
    await fetchUrl(url);
    await signIn(url);
  });

  test('X29 a sign-in ends after 30 days', async () => {
    const visit = await signIn(await freshUrl());
    const page = async () => {
      // The page's clock follows the server's.
      const { authorization } = await proofAt(visit, '/api/me', clock);
      return (await fetchUrl(me(), { headers: { authorization } })).status;
    };
    clock += 30 * 24 * 3_600_000 - 1;
    expect(await page()).toBe(200);
    clock += 1;
    expect(await page()).toBe(401);
  });

  test('X29 nothing on disk grants access, and a server that released its port accepts no earlier sign-in', async () => {
    const visit = await signIn(await freshUrl());
    const { authorization = '' } = await visit.proof('/api/me');
    const { port } = server;
    await server.close();
    const { readFileSync } = await import('node:fs');
    const database = readFileSync(`${place.root}/tugdeck.db`, 'latin1');
    expect(database).not.toContain(authorization.split('.')[2]);
    server = await place.start({ now: () => clock, config: { port } });
    expect((await fetchAs(visit, me())).status).toBe(401);
    await expect(visit.socket()).rejects.toMatchObject({ status: 401 });
  });

  test('X29 signing out ends the sign-in and closes its connections', async () => {
    const visit = await signIn(await freshUrl());
    const page = await TestPage.open(server, visit);
    const closed = new Promise<number>((resolve) => page.socket.once('close', resolve));
    const origin = { headers: { origin: server.origin } };
    const out = await fetchAs(visit, `${server.origin}/api/sign-out`, { method: 'POST', ...origin });
    expect(out.status).toBe(204);
    expect(await closed).toBe(4401);
    expect((await fetchAs(visit, me())).status).toBe(401);
  });

  test('X29 a revoked sign-in is ignored, even if its client ignores the close', async () => {
    const { page, session, visit } = await pageWithSession(place, server);
    const other = await TestPage.open(server, await signIn(await freshUrl()));
    await other.request({ type: 'feed.open', channel: 9, feed: 'settings', about: {} });
    // From now on this client does not read: it never sees the close.
    const raw = (page.socket as unknown as { _socket: Socket })._socket.pause();
    await other.call('settings', 9, { type: 'revoke', signIn: visit.signIn });
    page.send(FEED.deck, 0, { type: 'session.rename', id: '1', session, title: 'after revocation' });
    await expect.poll(() => isHeld(raw)).toBe(false);
    const { deck } = await other.welcome();
    expect(deck.sessions.map(({ title }) => title)).not.toContain('after revocation');
    page.socket.terminate();
  });

  test('X29 a revoked sign-in receives nothing more', async () => {
    const { visit, project } = await pageWithSession(place, server);
    const other = await TestPage.open(server, await signIn(await freshUrl()));
    await other.request({ type: 'feed.open', channel: 9, feed: 'settings', about: {} });
    const path = `/api/file/raw?${new URLSearchParams({ project, path: 'large.bin', keep: '1' })}`;
    writeFileSync(join(place.project, 'large.bin'), Buffer.alloc(20_000_000));
    const download = connect(server.port, '127.0.0.1');
    download.on('error', () => undefined);
    const { authorization } = await visit.proof(path);
    download.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: ${authorization}\r\n\r\n`,
    );
    await new Promise((resolve) => download.once('readable', resolve));
    await other.call('settings', 9, { type: 'revoke', signIn: visit.signIn });
    let got = 0;
    download.on('data', (chunk: Buffer) => {
      got += chunk.length;
    });
    await new Promise((resolve) => download.once('close', resolve));
    expect(got).toBeLessThan(20_000_000);
  });
});

/** A proof with some parts changed. */
async function proofAt(
  visit: Visit,
  path: string,
  at: number,
  { origin = server.origin, instance, method = 'GET' }: Record<string, string> = {},
): Promise<{ authorization: string }> {
  const own = await visit.access.credentials();
  if (!own) throw new Error('not signed in');
  const scope = { instance: instance ?? own.instance, origin, signIn: own.signIn };
  const mac = await own.mac(requestProofText(scope, { method, path, at }));
  return { authorization: writeAuthorization(own.signIn, at, mac) };
}

describe('proofs', () => {
  let visit: Visit;
  beforeEach(async () => {
    visit = await signIn(await freshUrl());
  });
  const status = async (headers: Record<string, string>, path = '/api/me') =>
    (await fetchUrl(`${server.origin}${path}`, { headers })).status;

  test('X25 a proof is only valid for its method, path, time, origin and instance', async () => {
    expect(await status(await proofAt(visit, '/api/me', clock))).toBe(200);
    expect(await status(await proofAt(visit, '/api/me', clock - 60_001))).toBe(401);
    expect(await status(await proofAt(visit, '/api/me', clock + 60_001))).toBe(401);
    expect(await status(await proofAt(visit, '/api/browse', clock))).toBe(401);
    expect(await status(await proofAt(visit, '/api/me', clock, { method: 'HEAD' }))).toBe(401);
    expect(await status(await proofAt(visit, '/api/me', clock, { instance: 'a'.repeat(22) }))).toBe(401);
    const another = `http://127.0.0.1:${server.port + 1}`;
    expect(await status(await proofAt(visit, '/api/me', clock, { origin: another }))).toBe(401);
    expect(
      await status(await proofAt(visit, '/api/me', clock, { origin: `http://localhost:${server.port}` })),
    ).toBe(401);
  });

  test.each([
    '',
    'Tugdeck',
    'Bearer x',
    'Tugdeck a.b.c',
    'Tugdeck ..',
    `Tugdeck ${'a'.repeat(22)}.1.${'b'.repeat(43)}`,
  ])('X25 an invalid proof (%s) is refused', async (authorization) => {
    expect(await status({ authorization })).toBe(401);
  });

  test.each([
    '/api/me',
    '/%61pi/me',
    '/api/%6de',
    '/API/me',
    '//api/me',
    '/api//me',
    '/api/me/',
    '/api/./me',
    '/x/../api/me',
    '/api/me?x',
  ])('X25 a path spelled as %s still needs a proof', async (path) => {
    expect(await rawStatus(path)).toBeGreaterThanOrEqual(400);
    expect(await rawStatus(path, 'POST')).toBeGreaterThanOrEqual(400);
  });

  /** `URL` would normalize the path. */
  const rawStatus = (path: string, method = 'GET') =>
    new Promise<number>((resolve, reject) => {
      const headers = { origin: server.origin };
      request({ host: '127.0.0.1', port: server.port, path, method, headers, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });

  test('X27 a signed URL loads its one file, for some minutes, and nothing else', async () => {
    const { session } = await pageWithSession(place, server);
    const path = `/api/blob/${session}/${'0'.repeat(64)}`;
    const address = await visit.access.signAddress(path);
    expect(await status({}, address)).toBe(404);
    expect(await status({}, path)).toBe(401);
    const [, proof] = address.split('?');
    for (const other of [`/api/blob/${session}/${'1'.repeat(64)}`, '/api/browse', '/api/me'])
      expect([other, await status({}, `${other}?${proof}`)]).toEqual([other, 401]);
    expect(await status({}, `${address}&path=/`)).toBe(401);
    expect(await status({}, address.replace('?', '?x=1&'))).toBe(401);
    // Not even with a signed URL: only resources that elements load can omit the header.
    expect(await status({}, await visit.access.signAddress('/api/me'))).toBe(401);
    clock += 10 * 60_000;
    expect(await status({}, address)).toBe(401);
  });

  test('X27 a signed URL that is valid for too long is refused', async () => {
    const own = await visit.access.credentials();
    if (!own) throw new Error('not signed in');
    const path = `/api/blob/x/${'0'.repeat(64)}`;
    const scope = { instance: own.instance, origin: server.origin, signIn: own.signIn };
    const until = clock + 11 * 60_000;
    const mac = await own.mac(addressProofText(scope, path, until));
    expect(await status({}, writeSignedAddress(path, own.signIn, until, mac))).toBe(401);
  });

  test('X25 the server proves itself first; an unproven page sends and gets nothing', async () => {
    const opening = visit.opening();
    const headers = { origin: server.origin };
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws?${opening.query}`, { headers });
    const first = await new Promise<string>((resolve) =>
      socket.once('message', (data: Buffer) => resolve(data.toString())),
    );
    expect(Object.keys(JSON.parse(first)).sort()).toEqual(['nonce', 'now', 'proof']);
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    const messages: unknown[] = [];
    socket.on('message', (data) => messages.push(data));
    socket.send(JSON.stringify({ proof: 'a'.repeat(43) }));
    expect(await closed).toBe(4401);
    expect(messages).toEqual([]);
  });

  test.each([
    ['a frame', Buffer.from([1, 0, 0, 0, 0])],
    ['no JSON', 'hello'],
    ['the proof of the server', 'ECHO'],
    ['two megabytes', 'x'.repeat(2_000_000)],
  ])('X25 %s instead of a proof closes the socket', async (_what, answer) => {
    const opening = visit.opening();
    const headers = { origin: server.origin };
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws?${opening.query}`, { headers });
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    socket.once('message', (data: Buffer) => socket.send(answer === 'ECHO' ? data.toString() : answer));
    expect(await closed).toBe(4401);
  });

  test('X25 a ping is answered with the server’s time, for a page whose clock changed', async () => {
    const page = await TestPage.open(server, await signIn(await freshUrl()));
    await page.welcome();
    clock += 3_600_000;
    page.send(FEED.deck, 0, { type: 'ping', id: 'p' });
    const done = await page.deckMessage((message) => message.type === 'done' && message.re === 'p');
    expect(done).toMatchObject({ now: clock });
    await page.close();
  });

  test('X32 a socket that never proves itself is closed', async () => {
    await server.close();
    server = await place.start({ limits: { proofMs: 50 } });
    const late = (await signIn(await freshUrl())).opening();
    const headers = { origin: server.origin };
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws?${late.query}`, { headers });
    expect(await new Promise((resolve) => socket.once('close', resolve))).toBe(4401);
  });

  test('X25 a program on another port that forwards everything gets no proof from a page', async () => {
    // The program in between: it talks to the server like a page of the right origin.
    const middle = createServer((client) => {
      const upstream = connect(server.port, '127.0.0.1');
      client.once('data', (head: Buffer) => {
        const forwarded = head
          .toString('latin1')
          .replaceAll(`127.0.0.1:${portOf()}`, `127.0.0.1:${server.port}`);
        upstream.write(Buffer.from(forwarded, 'latin1'));
        client.pipe(upstream).pipe(client);
      });
      client.on('error', () => upstream.destroy());
      upstream.on('error', () => client.destroy());
    });
    const portOf = () => (middle.address() as { port: number }).port;
    await new Promise<void>((resolve) => middle.listen(0, '127.0.0.1', resolve));
    try {
      const own = await visit.access.credentials();
      if (!own) throw new Error('not signed in');
      // The same sign-in, in a page at the other port.
      const lured = await Visit.of(`http://127.0.0.1:${portOf()}`, own);
      await expect(lured.socket()).rejects.toThrow('the server did not prove itself');
    } finally {
      middle.close();
    }
  });
});

describe('refused page requests', () => {
  test('X25 the page’s files are public, and everything else needs a sign-in, refused with a code', async () => {
    expect((await fetchUrl(`${server.origin}/`)).status).toBe(200);
    const api = await fetchUrl(`${server.origin}/api/blob/x/${'0'.repeat(64)}`);
    expect(api.status).toBe(401);
    expect(JSON.parse(api.body)).toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('X22 every other spelling of the host is refused, even with a valid proof or token', async () => {
    const visit = await signIn(await freshUrl());
    const url = await freshUrl();
    const { port } = server;
    const hosts = [
      `127.0.0.1:${port}.`,
      `127.0.0.1.:${port}`,
      '127.0.0.1',
      `127.0.0.1:${port + 1}`,
      `localhost:${port}`,
      `evil.example:${port}`,
      `[::1]:${port}`,
      `127.1:${port}`,
      `user@127.0.0.1:${port}`,
    ];
    for (const host of hosts) {
      const page = await fetchAs(visit, me(), { headers: { host } });
      expect([host, page.status]).toEqual([host, 403]);
      expect(page.body).toContain('FORBIDDEN_ORIGIN');
      expect([host, (await fetchUrl(url, { headers: { host } })).status]).toEqual([host, 403]);
    }
    await signIn(url);
  });

  test('X22 another origin is refused, and a write needs our own', async () => {
    const visit = await signIn(await freshUrl());
    for (const origin of [
      'http://evil.example',
      'null',
      `http://localhost:${server.port}`,
      `${server.origin}/`,
    ]) {
      expect((await fetchAs(visit, me(), { headers: { origin } })).status).toBe(403);
    }
    const write = await fetchAs(visit, `${server.origin}/api/sign-out`, { method: 'POST' });
    expect(write.status).toBe(403);
    expect(JSON.parse(write.body)).toMatchObject({ code: 'FORBIDDEN_ORIGIN' });
    const token = await fetchUrl(`${server.origin}/api/sign-in`, { method: 'POST' });
    expect(token.status).toBe(403);
  });

  test('X34 no path leads out of the page files', async () => {
    for (const path of [
      '/../data/tugdeck.db',
      '/%2e%2e/data/tugdeck.db',
      '/assets/..%2f..%2fdata/config.json',
      '/.env',
    ]) {
      expect([path, await rawGet(path)]).toEqual([path, 404]);
    }
  });

  const rawGet = (path: string) =>
    new Promise<number>((resolve, reject) => {
      request({ host: '127.0.0.1', port: server.port, path, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });

  test('X30 a service worker left at our address is removed, whatever it requests', async () => {
    for (const path of ['/', '/sw.js', '/api/me', '/in/x', '/deep/er/worker.mjs?v=1']) {
      const answer = await fetchUrl(`${server.origin}${path}`, { headers: { 'service-worker': 'script' } });
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.headers['content-type']).toContain('text/javascript');
      expect(answer.headers['service-worker-allowed']).toBe('/');
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.body).toContain('unregister()');
    }
  });

  test('X24 the maximum of cookies does not lock a browser out', async () => {
    const visit = await signIn(await freshUrl());
    const cookie = Array.from({ length: 180 }, (_, at) => `tugdeck_${at}=${'x'.repeat(4_080)}`).join('; ');
    expect((await fetchAs(visit, me(), { headers: { cookie } })).status).toBe(200);
    const page = new TestPage(await visit.socket({ headers: { cookie } }));
    await page.welcome();
    await page.close();
  });
});

describe('refused sockets', () => {
  const refused = (headers: Record<string, string>, path: string) =>
    new Promise<{ status: number; code: string }>((resolve, reject) => {
      const socket = new WebSocket(`${server.origin.replace('http', 'ws')}${path}`, { headers });
      socket.on('open', () => reject(new Error('it was let in')));
      socket.on('error', reject);
      socket.on('unexpected-response', (_, response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => {
          body += chunk.toString();
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, code: JSON.parse(body).code }));
      });
    });

  test('X22 no socket opens without a sign-in, or with another host or origin, or none', async () => {
    const visit = await signIn(await freshUrl());
    const { origin, port } = server;
    const good = `/ws?${visit.opening().query}`;
    const unauthorized = { status: 401, code: 'UNAUTHORIZED' };
    expect(await refused({ origin }, '/ws')).toEqual(unauthorized);
    expect(await refused({ origin }, `/ws?signIn=${'a'.repeat(22)}&nonce=${'b'.repeat(22)}`)).toEqual(
      unauthorized,
    );
    expect(await refused({ origin }, `/ws?signIn=${visit.signIn}`)).toEqual(unauthorized);
    expect(await refused({ origin, ...(await visit.proof('/ws')) }, '/ws')).toEqual(unauthorized);
    const forbidden = { status: 403, code: 'FORBIDDEN_ORIGIN' };
    expect(await refused({}, good)).toEqual(forbidden);
    expect(await refused({ origin: 'http://evil.example' }, good)).toEqual(forbidden);
    expect(await refused({ origin: `http://localhost:${port}` }, good)).toEqual(forbidden);
    expect(await refused({ origin: `http://127.0.0.1:${port + 1}` }, good)).toEqual(forbidden);
    expect(await refused({ origin, host: `127.0.0.1.:${port}` }, good)).toEqual(forbidden);
    expect(await refused({ origin, host: `evil.example:${port}` }, good)).toEqual(forbidden);
    expect(await refused({ origin }, good.replace('/ws', '/other'))).toEqual({
      status: 404,
      code: 'NOT_FOUND',
    });
  });

  test('X2 the number of open sockets is limited', async () => {
    await server.close();
    server = await place.start({ limits: { sockets: 1 } });
    const visit = await signIn(await freshUrl());
    const page = await TestPage.open(server, visit);
    await expect(visit.socket()).rejects.toEqual(new Refused(503));
    await page.close();
  });

  test('X32 refused upgrades are closed at once, even if the client never closes', async () => {
    const held = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
        socket.on('error', () => undefined);
        const ended = new Promise((resolve) => socket.once('end', resolve));
        socket.resume();
        socket.write(
          `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
        );
        await ended;
        return socket;
      }),
    );
    for (const socket of held) await expect.poll(() => isHeld(socket)).toBe(false);
    for (const socket of held) socket.destroy();
  });

  test('X32 the oldest unauthenticated connections are closed, and signed-in ones stay', async () => {
    await server.close();
    server = await place.start({ limits: { unauthenticatedConnections: 10 } });
    const visit = await signIn(await freshUrl());
    const page = await TestPage.open(server, visit);
    const idle = Array.from({ length: 40 }, () => {
      const socket = connect(server.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\n'));
      socket.on('error', () => undefined);
      return socket;
    });
    await expect.poll(() => idle.filter(({ closed }) => closed).length).toBe(30);
    await page.welcome();
    expect((await visit.fetch('/api/me')).status).toBe(200);
    for (const socket of idle) socket.destroy();
    await page.close();
  });
});

/**
 * Whether a process still holds the server's side of a connection, from the system's list: a released one has inode
 * 0.
 */
async function isHeld({ localPort = 0 }: Socket): Promise<boolean> {
  const { readFileSync } = await import('node:fs');
  const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');
  const line = new RegExp(`: 0100007F:${hex(server.port)} 0100007F:${hex(localPort)} (?:\\S+ +){6}([0-9]+)`);
  return Number(line.exec(readFileSync('/proc/net/tcp', 'utf8'))?.[1] ?? 0) !== 0;
}

describe('headers', () => {
  test('X22 the content security policy is literally this, on every response', async () => {
    const answers = [
      await fetchUrl(`${server.origin}/`),
      await fetchUrl(`${server.origin}/assets/a-1.js`),
      await fetchUrl(`${server.origin}/nothing`),
      await fetchUrl(`${server.origin}/api/me`),
      await fetchUrl(`${server.origin}/`, { headers: { host: 'evil.example' } }),
      await fetchUrl(await freshUrl()),
    ];
    for (const { headers } of answers) {
      // A page may also frame previews, at one port.
      const policy = String(headers['content-security-policy']);
      expect(policy.replace(/(?<=frame-src 'self') http:\/\/\*\.localhost:\d+(?=;)/, '')).toBe(
        "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; img-src 'self' data: blob:; manifest-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
      );
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['cross-origin-opener-policy']).toBe('same-origin');
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    }
  });

  test('X35 a drawing page has no origin, runs its one script and cannot fetch anything', () => {
    const hash = 'ab-_'.repeat(10);
    expect(policyOf(`/drawing/diagram.${hash}abc.html`)).toBe(
      `sandbox allow-scripts; default-src 'none'; script-src 'sha256-${'ab+/'.repeat(10)}abc='; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'`,
    );
    for (const path of ['/', '/drawing/x.html', `/assets/diagram.${hash}abc.html`, `/drawing/${hash}abc.js`])
      expect(policyOf(path)).toBe(CONTENT_SECURITY_POLICY);
  });

  test('S1 assets are cached forever, the page itself is always revalidated', async () => {
    const asset = await fetchUrl(`${server.origin}/assets/a-1.js`);
    expect(asset.headers['cache-control']).toContain('immutable');
    expect(asset.headers['content-type']).toContain('text/javascript');
    const page = await fetchUrl(`${server.origin}/`);
    expect(page.headers['cache-control']).toBe('no-cache');
  });

  test('X31 with TLS, a host name uses HSTS; IP addresses and localhost do not', () => {
    const header = (name: string, isSecure: boolean) =>
      securityHeaders({ name, isSecure })['strict-transport-security'];
    expect(header('deck.example', true)).toBe('max-age=31536000');
    for (const name of ['127.0.0.1', '::1', '192.168.0.1', 'localhost'])
      expect(header(name, true)).toBeUndefined();
    expect(header('deck.example', false)).toBeUndefined();
  });
});
