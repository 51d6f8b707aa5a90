import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import type { RunningServer } from '../src/main.ts';
import { CONTENT_SECURITY_POLICY, policyOf } from '../src/transport/security-headers.ts';
import { ask, signIn, TestPage, type TestPlace, testPlace } from './test-server.ts';

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

describe('sign-in', () => {
  test('X1 a one-time address gives a cookie and leads to the page', async () => {
    const { status, headers } = await ask(await freshUrl());
    expect(status).toBe(302);
    expect(headers.location).toBe('/');
    const [cookie = ''] = headers['set-cookie'] ?? [];
    expect(cookie).toMatch(
      new RegExp(
        `^tugdeck_${server.port}_[0-9a-f]{8}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000$`,
      ),
    );
    const page = await ask(`${server.origin}/`, { headers: { cookie: cookie.split(';')[0] ?? '' } });
    expect(page.status).toBe(200);
    expect(page.body).toContain('<title>page</title>');
  });

  test('X1 an address works once', async () => {
    const url = await freshUrl();
    await ask(url);
    const again = await ask(url);
    expect(again.status).toBe(401);
    expect(again.headers['set-cookie']).toBeUndefined();
    expect(again.body).toContain('TOKEN_INVALID');
  });

  test('X1 an address that is too old, and one that never was, give nothing', async () => {
    const url = await freshUrl();
    clock += 10 * 60_000;
    expect((await ask(url)).status).toBe(401);
    expect((await ask(`${server.origin}/in/${'a'.repeat(43)}`)).status).toBe(401);
  });

  test('X1 looking at an address without opening it does not use it up', async () => {
    const url = await freshUrl();
    await ask(url, { method: 'HEAD' });
    expect((await ask(url)).status).toBe(302);
  });

  test('X1 a cookie ends after 30 days', async () => {
    const cookie = await signIn(await freshUrl());
    clock += 30 * 24 * 3_600_000 - 1;
    expect((await ask(`${server.origin}/`, { headers: { cookie } })).status).toBe(200);
    clock += 1;
    expect((await ask(`${server.origin}/`, { headers: { cookie } })).status).toBe(401);
  });

  test('X1 a cookie outlives the server, and its secret is not in the database', async () => {
    const cookie = await signIn(await freshUrl());
    const { port } = server;
    await server.close();
    const { readFileSync } = await import('node:fs');
    const database = readFileSync(`${place.root}/tugdeck.db`, 'latin1');
    expect(database).not.toContain(cookie.split('=')[1]);
    server = await place.start({ now: () => clock, config: { port } });
    expect((await ask(`${server.origin}/`, { headers: { cookie } })).status).toBe(200);
  });

  test('X1 signing out ends the cookie and what it has open', async () => {
    const cookie = await signIn(await freshUrl());
    const page = await TestPage.open(server, cookie);
    const closed = new Promise<number>((resolve) => page.socket.once('close', resolve));
    const out = await ask(`${server.origin}/api/sign-out`, {
      method: 'POST',
      headers: { cookie, origin: server.origin },
    });
    expect(out.status).toBe(204);
    expect(await closed).toBe(4401);
    expect((await ask(`${server.origin}/`, { headers: { cookie } })).status).toBe(401);
  });
});

describe('refusals of pages', () => {
  test('X1 without a cookie the page says how to sign in, and programs get a code', async () => {
    const page = await ask(`${server.origin}/`);
    expect(page.status).toBe(401);
    expect(page.body).toContain('Sign in with the address that tugdeck prints.');
    const asset = await ask(`${server.origin}/assets/a-1.js`);
    expect(asset.status).toBe(401);
    const api = await ask(`${server.origin}/api/blob/x/${'0'.repeat(64)}`);
    expect(api.status).toBe(401);
    expect(JSON.parse(api.body)).toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('X1 every other spelling of the host is refused, with a good cookie and a good token too', async () => {
    const cookie = await signIn(await freshUrl());
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
      const page = await ask(`${server.origin}/`, { headers: { cookie, host } });
      expect([host, page.status]).toEqual([host, 403]);
      expect(page.body).toContain('FORBIDDEN_ORIGIN');
      expect([host, (await ask(url, { headers: { host } })).status]).toEqual([host, 403]);
    }
    expect((await ask(url)).status).toBe(302);
  });

  test('X1 a foreign origin is refused, and a write needs the own one', async () => {
    const cookie = await signIn(await freshUrl());
    for (const origin of [
      'http://evil.example',
      'null',
      `http://localhost:${server.port}`,
      `${server.origin}/`,
    ]) {
      expect((await ask(`${server.origin}/`, { headers: { cookie, origin } })).status).toBe(403);
    }
    const write = await ask(`${server.origin}/api/sign-out`, { method: 'POST', headers: { cookie } });
    expect(write.status).toBe(403);
    expect(JSON.parse(write.body)).toMatchObject({ code: 'FORBIDDEN_ORIGIN' });
  });

  test('X1 no path leads out of the page files', async () => {
    const cookie = await signIn(await freshUrl());
    for (const path of [
      '/../data/tugdeck.db',
      '/%2e%2e/data/tugdeck.db',
      '/assets/..%2f..%2fdata/config.json',
      '/.env',
    ]) {
      expect([path, (await askRaw(path, cookie)).status]).toEqual([path, 404]);
    }
  });

  /** `URL` would tidy the path up. */
  async function askRaw(path: string, cookie: string) {
    const { request } = await import('node:http');
    return new Promise<{ status: number }>((resolve, reject) => {
      request(
        { host: '127.0.0.1', port: server.port, path, headers: { cookie }, agent: false },
        (response) => {
          response.resume();
          resolve({ status: response.statusCode ?? 0 });
        },
      )
        .on('error', reject)
        .end();
    });
  }
});

describe('refusals of sockets', () => {
  const refused = (headers: Record<string, string>, path = '/ws') =>
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

  test('X1 without the cookie, with another host or origin, or with none, no socket opens', async () => {
    const cookie = await signIn(await freshUrl());
    const { origin, port } = server;
    expect(await refused({ origin })).toEqual({ status: 401, code: 'UNAUTHORIZED' });
    expect(await refused({ origin, cookie: `${cookie}x` })).toEqual({ status: 401, code: 'UNAUTHORIZED' });
    const forbidden = { status: 403, code: 'FORBIDDEN_ORIGIN' };
    expect(await refused({ cookie })).toEqual(forbidden);
    expect(await refused({ cookie, origin: 'http://evil.example' })).toEqual(forbidden);
    expect(await refused({ cookie, origin: `http://localhost:${port}` })).toEqual(forbidden);
    expect(await refused({ cookie, origin: `http://127.0.0.1:${port + 1}` })).toEqual(forbidden);
    expect(await refused({ cookie, origin, host: `127.0.0.1.:${port}` })).toEqual(forbidden);
    expect(await refused({ cookie, origin, host: `evil.example:${port}` })).toEqual(forbidden);
    expect(await refused({ cookie, origin }, '/other')).toEqual({ status: 404, code: 'NOT_FOUND' });
  });

  test('X2 only so many sockets may be open', async () => {
    await server.close();
    server = await place.start({ limits: { sockets: 1 } });
    const cookie = await signIn(await freshUrl());
    const page = await TestPage.open(server, cookie);
    expect(await refused({ cookie, origin: server.origin })).toEqual({ status: 503, code: 'TOO_MANY' });
    await page.close();
  });
});

describe('headers', () => {
  test('X1 the content security policy is literally this, on every answer', async () => {
    const cookie = await signIn(await freshUrl());
    const answers = [
      await ask(`${server.origin}/`, { headers: { cookie } }),
      await ask(`${server.origin}/assets/a-1.js`, { headers: { cookie } }),
      await ask(`${server.origin}/nothing`, { headers: { cookie } }),
      await ask(`${server.origin}/`),
      await ask(`${server.origin}/`, { headers: { host: 'evil.example' } }),
      await ask(await freshUrl()),
    ];
    for (const { headers } of answers) {
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; img-src 'self' data: blob:; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
      );
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['cross-origin-opener-policy']).toBe('same-origin');
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    }
  });

  test('X1 a page to draw in has no origin, runs its one script and reaches nothing', () => {
    const hash = 'ab-_'.repeat(10);
    expect(policyOf(`/drawing/diagram.${hash}abc.html`)).toBe(
      `sandbox allow-scripts; default-src 'none'; script-src 'sha256-${'ab+/'.repeat(10)}abc='; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'`,
    );
    for (const path of ['/', '/drawing/x.html', `/assets/diagram.${hash}abc.html`, `/drawing/${hash}abc.js`])
      expect(policyOf(path)).toBe(CONTENT_SECURITY_POLICY);
  });

  test('S1 assets are kept for good, the page itself is asked for each time', async () => {
    const cookie = await signIn(await freshUrl());
    const asset = await ask(`${server.origin}/assets/a-1.js`, { headers: { cookie } });
    expect(asset.headers['cache-control']).toContain('immutable');
    expect(asset.headers['content-type']).toContain('text/javascript');
    const page = await ask(`${server.origin}/`, { headers: { cookie } });
    expect(page.headers['cache-control']).toBe('no-cache');
  });
});
