/** `--origin` (N50): one more origin, behind a proxy on this machine that terminates TLS. */
import { statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { dataDirectory, makePrivate } from '@tugdeck/local/data-directory';
import type { Configuration } from '@tugdeck/machine/configuration';
import { type Refused, Visit } from '@tugdeck/testkit/visit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { findServer, requestServer } from '../src/control/control-client.ts';
import type { RunningServer } from '../src/main.ts';
import { exposureOf } from '../src/transport/exposure.ts';
import { savePassword } from '../src/transport/password.ts';
import { fetchAs, type HttpResponse, signIn, type TestPlace, testPlace } from './test-server.ts';

const PASSWORD = 'correct horse battery';
const ORIGIN = 'https://deck.example';
const HOST = 'deck.example';

describe('the setting', () => {
  test.each<[string, Partial<Configuration>, boolean, string]>([
    ['without a password', { origin: ORIGIN }, false, 'no password is set'],
    ['without TLS', { origin: 'http://deck.example' }, true, 'is not an origin'],
    ['with a path', { origin: 'https://deck.example/deck' }, true, 'is not an origin'],
    ['with a user', { origin: 'https://me@deck.example' }, true, 'is not an origin'],
    ['with an address', { origin: 'https://10.0.0.1' }, true, 'is not an origin'],
    ['with an impossible port', { origin: 'https://deck.example:0' }, true, 'is not an origin'],
    ['with an invalid name', { origin: 'https://deck example' }, true, 'is not an origin'],
    ['on a public address', { origin: ORIGIN, host: '127.0.0.2' }, true, '--origin is for a proxy'],
  ])('N50 is refused %s', (_what, settings, hasPassword, message) => {
    expect(() => exposureOf(settings, hasPassword)).toThrowError(
      expect.objectContaining({ code: 'EXPOSURE_REFUSED', message: expect.stringContaining(message) }),
    );
  });

  test('N50 names exactly one origin, as browsers write it', () => {
    const proxied = (origin: string) => exposureOf({ origin }, true).proxied;
    expect(proxied('https://Deck.Example/')).toEqual({ origin: ORIGIN, host: HOST });
    expect(proxied('https://deck.example:443')).toEqual({ origin: ORIGIN, host: HOST });
    expect(proxied('https://deck.example:8443')).toEqual({
      origin: 'https://deck.example:8443',
      host: 'deck.example:8443',
    });
    expect(exposureOf({}, true).proxied).toBeUndefined();
  });
});

describe('behind a proxy', () => {
  let place: TestPlace;
  let server: RunningServer;
  /** A fixed time: the delay after wrong passwords must not pass on a slow machine. */
  const clock = Date.now();
  beforeEach(async () => {
    place = testPlace();
    makePrivate(place.root);
    await savePassword(dataDirectory(place.root).password, PASSWORD);
    server = await place.start({ now: () => clock, config: { port: 0, origin: ORIGIN } });
  });
  afterEach(() => place.clear());

  const port = () => ({ host: '127.0.0.1', port: server.port });
  const socketFile = () => ({ socketPath: dataDirectory(place.root).proxySocket });
  type Target = ReturnType<typeof port> | ReturnType<typeof socketFile>;

  /** Sends a request as the proxy passes it on: with the browser's Host and Origin. */
  function fetchProxied(
    path: string,
    { method = 'GET', body = '', ...headers }: Record<string, string> = {},
    target: Target = port(),
  ): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      request({ ...target, path, method, agent: false, headers: { host: HOST, ...headers } }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
      })
        .on('error', reject)
        .end(body);
    });
  }
  const tryPassword = (headers: Record<string, string> = {}, target?: Target) =>
    fetchProxied(
      '/sign-in',
      {
        method: 'POST',
        origin: ORIGIN,
        'content-type': 'application/x-www-form-urlencoded',
        body: new URLSearchParams({ password: PASSWORD }).toString(),
        ...headers,
      },
      target,
    );
  const send =
    (target?: Target): typeof fetch =>
    async (input, init = {}) => {
      const { pathname, search } = new URL(String(input));
      const answer = await fetchProxied(
        pathname + search,
        {
          method: init.method ?? 'GET',
          ...(typeof init.body === 'string' ? { body: init.body } : {}),
          origin: ORIGIN,
          ...(init.headers as Record<string, string>),
        },
        target,
      );
      return new Response(answer.body, { status: answer.status });
    };
  const enter = async (target?: Target) =>
    Visit.enter(`${ORIGIN}${String((await tryPassword({}, target)).headers.location)}`, {
      send: send(target),
    });
  const openSocket = (visit: Visit, headers: Record<string, string>): Promise<WebSocket | number> =>
    visit
      .socket({ headers: { host: HOST, ...headers } }, `http://127.0.0.1:${server.port}`)
      .catch((error: unknown) => (error as Refused).status);

  test('N50 the password signs a browser in at the second origin, with requests and a socket', async () => {
    expect(await fetchProxied('/api/me')).toMatchObject({ status: 401 });
    expect((await fetchProxied('/sign-in')).headers['strict-transport-security']).toBe('max-age=31536000');
    const visit = await enter();
    expect(await fetchProxied('/api/me', await visit.proof('/api/me'))).toMatchObject({ status: 200 });
    const open = await openSocket(visit, { origin: ORIGIN });
    expect(open).toBeInstanceOf(WebSocket);
    (open as WebSocket).terminate();
  });

  test('N50 the form exists only there, and direct sign-in works as before', async () => {
    const own = new URL(server.origin).host;
    expect((await fetchProxied('/sign-in', { host: own })).status).toBe(404);
    expect((await tryPassword({ host: own, origin: server.origin })).status).toBe(404);
    expect(JSON.parse((await fetchProxied('/api/sign-in', { host: own })).body).password).toBe(false);
    expect(JSON.parse((await fetchProxied('/api/sign-in')).body).password).toBe(true);
    const visit = await signIn((await server.add(place.project, {})).url);
    expect((await fetchAs(visit, `${server.origin}/api/me`)).status).toBe(200);
  });

  test('N50 a sign-in or link of one origin is refused at the other', async () => {
    const { url } = await server.add(place.project, {});
    const link = new URL(url).pathname;
    await expect(Visit.enter(`${ORIGIN}${link}`, { send: send() })).rejects.toThrow('did not sign in');
    const own = await signIn(url);
    expect((await fetchProxied('/api/me', await own.proof('/api/me'))).status).toBe(401);
    expect(await openSocket(own, { origin: ORIGIN })).not.toBeInstanceOf(WebSocket);

    const proxied = await enter();
    const host = new URL(server.origin).host;
    expect((await fetchProxied('/api/me', { host, ...(await proxied.proof('/api/me')) })).status).toBe(401);
    // Nor with its secret at the server's own address: each end refuses the other.
    const credentials = await proxied.access.credentials();
    if (!credentials) throw new Error('not signed in');
    const moved = await Visit.of(server.origin, credentials);
    await expect(moved.socket()).rejects.toThrow('the server did not prove itself');
    moved.access.serverProven();
    expect((await fetchAs(moved, `${server.origin}/api/me`)).status).toBe(401);
  });

  test('N50 no other name, scheme, or mixture of the two origins gets in', async () => {
    const own = new URL(server.origin);
    const visit = await enter();
    for (const origin of [own.origin, 'http://deck.example', 'https://deck.example:444', 'null']) {
      expect((await tryPassword({ origin })).status).toBe(403);
      expect(await openSocket(visit, { origin })).toBe(403);
    }
    for (const host of ['evil.example', 'deck.example:444', 'deck.example.', 'DECK.EXAMPLE']) {
      expect((await fetchProxied('/', { host })).status).toBe(403);
    }
    expect((await tryPassword({ host: own.host })).status).toBe(403);
  });

  test("N50 a proxy's headers set neither a user nor a visitor's address", async () => {
    const claims = {
      'tailscale-user-login': 'me@example.com',
      'x-forwarded-for': '10.1.2.3',
      'x-forwarded-user': 'me',
      'cf-access-authenticated-user-email': 'me@example.com',
      'x-forwarded-host': HOST,
    };
    expect((await fetchProxied('/api/me', claims)).status).toBe(401);
    expect((await fetchProxied('/', { ...claims, host: 'evil.example' })).status).toBe(403);
    const wrong = (count: number) =>
      fetchProxied('/sign-in', {
        method: 'POST',
        origin: ORIGIN,
        'content-type': 'application/x-www-form-urlencoded',
        body: 'password=wrong',
        'x-forwarded-for': `10.1.2.${count}`,
      });
    for (let count = 0; count < 5; count++) expect((await wrong(count)).status).toBe(401);
    expect((await wrong(6)).status).toBe(429);
  });

  test('N50 a proxy can use a private socket instead of the port', async () => {
    expect(statSync(socketFile().socketPath).mode & 0o777).toBe(0o600);
    const visit = await enter(socketFile());
    const proof = await visit.proof('/api/me');
    expect(await fetchProxied('/api/me', proof, socketFile())).toMatchObject({ status: 200 });
    expect((await fetchProxied('/', { host: 'evil.example' }, socketFile())).status).toBe(403);
  });

  test('N51 the worker of an installed page is served at the second origin, and only as that', async () => {
    writeFileSync(join(place.web, 'worker.js'), 'ours();');
    writeFileSync(join(place.web, 'manifest.webmanifest'), '{}');
    const asWorker = { 'service-worker': 'script' };
    const own = await fetchProxied('/worker.js', asWorker);
    expect(own).toMatchObject({ status: 200, body: 'ours();' });
    const page = await fetchProxied('/');
    expect(own.headers['content-security-policy']).toBe(page.headers['content-security-policy']);
    expect(own.headers['content-security-policy']).toContain("default-src 'none'");
    expect(own.headers['service-worker-allowed']).toBeUndefined();
    expect(own.headers['cache-control']).toBe('no-cache');
    const host = new URL(server.origin).host;
    const others: [string, Record<string, string>][] = [
      ['/worker.js', { host }],
      ['/worker.js', { host: 'evil.example' }],
      ['/worker.js', { origin: 'https://evil.example' }],
      ['/worker.js', { origin: server.origin }],
      ['/worker.js?x', {}],
      ['//worker.js', {}],
      ['/assets/a-1.js', {}],
      ['/', {}],
      ['/api/me', {}],
    ];
    for (const [path, headers] of others) {
      const answer = await fetchProxied(path, { ...asWorker, ...headers });
      expect(answer.body, `${path} ${JSON.stringify(headers)}`).toContain('registration.unregister()');
    }
    expect((await fetchProxied('/manifest.webmanifest')).headers['content-type']).toBe(
      'application/manifest+json',
    );
  });

  test('N51 the server takes nothing that is shared: that is for the worker alone', async () => {
    for (const origin of [ORIGIN, 'null', 'https://evil.example']) {
      const shared = await fetchProxied('/share', {
        method: 'POST',
        origin,
        'content-type': 'multipart/form-data; boundary=x',
        body: '--x\r\ncontent-disposition: form-data; name="text"\r\n\r\nhello\r\n--x--\r\n',
      });
      expect([403, 404, 415]).toContain(shared.status);
    }
    expect((await fetchProxied('/share')).status).toBe(404);
  });

  test('N50 a new password ends the sign-ins of both origins', async () => {
    const own = await signIn((await server.add(place.project, {})).url);
    const proxied = await enter();
    const found = findServer(dataDirectory(place.root).ledger);
    if (!found) throw new Error('no server is running');
    await requestServer(found, { type: 'sign-out-all' });
    expect((await fetchAs(own, `${server.origin}/api/me`)).status).toBe(401);
    expect((await fetchProxied('/api/me', await proxied.proof('/api/me'))).status).toBe(401);
  });
});
