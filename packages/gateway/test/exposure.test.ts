import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataDirectory, makePrivate } from '@tugdeck/local/data-directory';
import type { Configuration } from '@tugdeck/machine/configuration';
import { type Refused, Visit } from '@tugdeck/testkit/visit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { findServer, requestServer } from '../src/control/control-client.ts';
import type { Limits } from '../src/limits.ts';
import type { RunningServer } from '../src/main.ts';
import { exposureOf } from '../src/transport/exposure.ts';
import { removePassword, savePassword, verifyPassword } from '../src/transport/password.ts';
import { CONTENT_SECURITY_POLICY } from '../src/transport/security-headers.ts';
import { createThrottle } from '../src/transport/throttle.ts';
import { type HttpResponse, type TestPlace, testPlace } from './test-server.ts';

const TLS = {
  tlsCert: fileURLToPath(new URL('tls/cert.pem', import.meta.url)),
  tlsKey: fileURLToPath(new URL('tls/key.pem', import.meta.url)),
};
const PASSWORD = 'correct horse battery';
/** A loopback address that counts as public; nobody else can reach it. */
const HOST = '127.0.0.2';

describe('exposure settings', () => {
  test.each<[string, Partial<Configuration>, boolean, string]>([
    ['no password', { host: HOST, ...TLS }, false, 'no password is set'],
    ['no TLS and no consent', { host: HOST }, true, 'without TLS'],
    ['every address without a name', { host: '0.0.0.0', ...TLS }, true, 'listens on every address'],
    ['an invalid host name', { host: '::', name: 'a b', ...TLS }, true, 'is not a valid host name'],
    ['half of TLS', { tlsCert: TLS.tlsCert }, true, 'must be used together'],
    ['an invalid key', { ...TLS, tlsKey: TLS.tlsCert }, true, "Can't use the TLS certificate"],
    ['a missing certificate', { ...TLS, tlsCert: '/nowhere.pem' }, true, "Can't use the TLS certificate"],
    ['a name for this machine alone', { name: 'deck.test' }, true, 'other machines can reach'],
  ])('X20 %s is refused with a message', (_what, wish, hasPassword, message) => {
    expect(() => exposureOf(wish, hasPassword)).toThrowError(message);
    expect(() => exposureOf(wish, hasPassword)).toThrowError(
      expect.objectContaining({ code: 'EXPOSURE_REFUSED' }),
    );
  });

  test('X20 loopback needs nothing; another address needs a password, and TLS or explicit consent', () => {
    expect(exposureOf({}, false)).toMatchObject({ host: '127.0.0.1', isLoopback: true, tls: undefined });
    expect(exposureOf({ host: '0.0.0.0', name: 'Deck.Test', ...TLS }, true)).toMatchObject({
      name: 'deck.test',
      isLoopback: false,
    });
    expect(exposureOf({ host: HOST, plainHttp: true }, true)).toMatchObject({ name: HOST });
  });
});

describe('password throttle', () => {
  let clock = 0;
  const throttle = () => createThrottle(() => clock);

  test('X20 five attempts are free, then each waits twice as long', () => {
    const one = throttle();
    for (let count = 0; count < 5; count++) expect(one.attempt('10.0.0.1')).toBe(0);
    expect(one.attempt('10.0.0.1')).toBe(1000);
    expect(one.attempt('::ffff:10.0.0.1')).toBe(1000);
    clock += 1000;
    expect(one.attempt('10.0.0.1')).toBe(0);
    expect(one.attempt('10.0.0.1')).toBe(2000);
    expect(one.attempt('10.0.0.2')).toBe(0);
  });

  test('X20 a whole network of addresses counts as one, and there is a limit for all together', () => {
    const one = throttle();
    for (let count = 0; count < 5; count++) expect(one.attempt(`2001:db8::${count + 1}`)).toBe(0);
    expect(one.attempt('2001:db8:0:0:ffff::1')).toBeGreaterThan(0);
    expect(one.attempt('2001:db8:0:1::1')).toBe(0);
    for (let count = 6; count < 30; count++) expect(one.attempt(`10.1.0.${count}`)).toBe(0);
    expect(one.attempt('10.2.0.1')).toBe(60_000);
    clock += 60_000;
    expect(one.attempt('10.2.0.1')).toBe(0);
  });

  test('X20 a correct password resets the count', () => {
    const one = throttle();
    for (let count = 0; count < 100; count++) {
      expect(one.attempt('10.0.0.1')).toBe(0);
      one.reset('10.0.0.1');
    }
  });
});

describe('server reachable from other machines', () => {
  let place: TestPlace;
  let server: RunningServer;
  let clock = Date.now();
  beforeEach(async () => {
    place = testPlace();
    makePrivate(place.root);
    await savePassword(file(), PASSWORD);
  });
  afterEach(() => place.clear());
  const file = () => dataDirectory(place.root).password;
  const serve = async (config: Configuration, limits: Partial<Limits> = {}) => {
    server = await place.start({ now: () => clock, config: { port: 0, ...config }, limits });
  };

  function fetchUrl(path: string, { method = 'GET', body = '', ...headers }: Record<string, string> = {}) {
    const { protocol, port, host } = new URL(server.origin);
    const request = protocol === 'https:' ? tlsRequest : plainRequest;
    return new Promise<HttpResponse>((resolve, reject) => {
      const options = { host: HOST, port, path, method, agent: false, rejectUnauthorized: false };
      const form = body === '' ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
      request({ ...options, headers: { host, ...form, ...headers } }, (response) => {
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
  const tryWith = (password: string, headers: Record<string, string> = {}) =>
    fetchUrl('/sign-in', {
      method: 'POST',
      origin: server.origin,
      body: new URLSearchParams({ password }).toString(),
      ...headers,
    });
  /** The page's own requests, over HTTP or HTTPS. */
  const send: typeof fetch = async (input, init = {}) => {
    const { pathname, search } = new URL(String(input));
    const { method = 'GET', body } = init;
    const answer = await fetchUrl(pathname + search, {
      method,
      ...(typeof body === 'string' ? { body } : {}),
      origin: server.origin,
      ...(init.headers as Record<string, string>),
    });
    return new Response(answer.body, { status: answer.status });
  };
  const enter = (address: string) => Visit.enter(`${server.origin}${address}`, { send });
  const socket = (visit: Visit, headers: Record<string, string> = {}): Promise<WebSocket | number> => {
    const { port, host, protocol } = new URL(server.origin);
    const options = { headers: { host, ...headers }, rejectUnauthorized: false };
    return visit
      .socket(options, `${protocol}//${HOST}:${port}`)
      .catch((error: unknown) => (error as Refused).status);
  };

  test('X20 the password signs a browser in, and nothing else does', async () => {
    await serve({ host: HOST, plainHttp: true });
    expect(server.origin).toBe(`http://${HOST}:${server.port}`);
    expect(await fetchUrl('/api/me')).toMatchObject({ status: 401 });
    expect(JSON.parse((await fetchUrl('/api/sign-in')).body)).toEqual({ holds: false, password: true });
    const form = await fetchUrl('/sign-in');
    expect(form.status).toBe(200);
    expect(form.headers['content-security-policy']).toBe(CONTENT_SECURITY_POLICY);
    expect(form.body).toContain('type="password"');
    expect(form.body).not.toMatch(/<script|<style|style=/);
    expect((await fetchUrl('/plain.css')).headers['content-type']).toContain('text/css');

    const wrong = await tryWith('wrong <b>password</b>');
    expect(wrong).toMatchObject({ status: 401, body: expect.stringContaining('Incorrect password.') });
    expect(wrong.body).toContain('PASSWORD_WRONG');
    expect(wrong.headers['set-cookie']).toBeUndefined();
    expect(wrong.body).not.toContain('<b>');
    expect((await tryWith('x'.repeat(2000))).status).toBe(400);
    expect((await tryWith('x'.repeat(9000))).status).toBe(413);
    const json = { method: 'POST', origin: server.origin, 'content-type': 'application/json' };
    expect((await fetchUrl('/sign-in', { ...json, body: `{"password":"${PASSWORD}"}` })).status).toBe(400);

    const right = await tryWith(PASSWORD, { 'user-agent': 'Test/1.0' });
    expect(right).toMatchObject({
      status: 303,
      headers: { location: expect.stringMatching(/^\/in\/[\w-]{43}$/) },
    });
    const visit = await enter(String(right.headers.location));
    expect(await fetchUrl('/api/me', await visit.proof('/api/me'))).toMatchObject({ status: 200 });

    expect(await socket(visit, { origin: 'http://evil.example' })).toBe(403);
    expect(await socket(visit, { host: `localhost:${server.port}` })).toBe(403);
    const open = await socket(visit);
    expect(open).toBeInstanceOf(WebSocket);
    (open as WebSocket).terminate();
  });

  test('X20 another site can neither sign a browser in nor reach it under another name', async () => {
    await serve({ host: '0.0.0.0', name: 'deck.test', plainHttp: true });
    expect(server.origin).toBe(`http://deck.test:${server.port}`);
    const without = new URLSearchParams({ password: PASSWORD }).toString();
    expect((await fetchUrl('/sign-in', { method: 'POST', body: without })).status).toBe(403);
    expect((await tryWith(PASSWORD, { origin: 'null' })).status).toBe(403);
    expect((await tryWith(PASSWORD, { origin: 'http://evil.example' })).status).toBe(403);
    for (const host of [`${HOST}:${server.port}`, `evil.example:${server.port}`, `0.0.0.0:${server.port}`]) {
      expect((await tryWith(PASSWORD, { host })).status).toBe(403);
      expect((await fetchUrl('/sign-in', { host })).status).toBe(403);
    }
    expect((await tryWith(PASSWORD)).status).toBe(303);
  });

  test('X20 guessing is slowed down, also in parallel; a link from tugdeck url still works', async () => {
    await serve({ host: HOST, plainHttp: true });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, count) => tryWith(`guess ${count}`)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(7);
    const next = await tryWith(PASSWORD);
    expect(next).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect(next.body).toContain('Too many attempts. Try again in 1 s.');
    clock += 1000;
    expect((await tryWith(PASSWORD)).status).toBe(303);
    const { url } = await server.add(place.project, {});
    await enter(new URL(url).pathname);
  });

  test('X20 everything works over TLS, and nothing is sent in the clear', async () => {
    await serve({ host: HOST, name: 'deck.test', ...TLS });
    expect(server.origin).toBe(`https://deck.test:${server.port}`);
    const right = await tryWith(PASSWORD);
    expect(right.headers['strict-transport-security']).toBe('max-age=31536000');
    const visit = await enter(String(right.headers.location));
    expect(await fetchUrl('/api/me', await visit.proof('/api/me'))).toMatchObject({ status: 200 });
    const open = await socket(visit);
    expect(open).toBeInstanceOf(WebSocket);
    (open as WebSocket).terminate();
    expect(await socket(visit, { origin: server.origin.replace('https', 'http') })).toBe(403);
    await expect(
      new Promise((resolve, reject) => {
        plainRequest({ host: HOST, port: server.port, path: '/sign-in' }, resolve).on('error', reject).end();
      }),
    ).rejects.toThrow();
  });

  test('X2 half-done TLS handshakes count as unauthenticated connections, and the oldest are closed', async () => {
    await serve({ host: HOST, name: 'deck.test', ...TLS }, { unauthenticatedConnections: 10 });
    const visit = await enter(String((await tryWith(PASSWORD)).headers.location));
    const open = (await socket(visit)) as WebSocket;
    const beginning = Buffer.from('16030100c8010000c40303', 'hex');
    const handshakes = Array.from({ length: 40 }, () => {
      const half = connect(server.port, HOST, () => half.write(beginning));
      half.on('error', () => undefined);
      return half;
    });
    await expect.poll(() => handshakes.filter(({ closed }) => closed).length).toBe(30);
    expect(await fetchUrl('/api/me', await visit.proof('/api/me'))).toMatchObject({ status: 200 });
    expect(open.readyState).toBe(WebSocket.OPEN);
    for (const half of handshakes) half.destroy();
    open.terminate();
  });

  test('X29 a new password applies at once and ends every sign-in', async () => {
    await serve({ host: HOST, plainHttp: true });
    const visit = await enter(String((await tryWith(PASSWORD)).headers.location));
    const open = await socket(visit);
    const closed = new Promise((resolve) => (open as WebSocket).once('close', resolve));
    await savePassword(file(), 'another long password');
    const found = findServer(dataDirectory(place.root).ledger);
    expect(found && (await requestServer(found, { type: 'sign-out-all' }))).toEqual({ type: 'signed-out' });
    expect(await closed).toBe(4401);
    expect(await fetchUrl('/api/me', await visit.proof('/api/me'))).toMatchObject({ status: 401 });
    expect((await tryWith(PASSWORD)).status).toBe(401);
    expect((await tryWith('another long password')).status).toBe(303);
  });

  test('X20 the password is stored as a hash that only its owner can read', async () => {
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const kept = readFileSync(file(), 'utf8');
    expect(kept).not.toContain(PASSWORD);
    expect(JSON.parse(kept)).toMatchObject({ kind: 'scrypt', N: 32_768 });
    await savePassword(file(), 'caf\u00e9 caf\u00e9 caf\u00e9');
    expect(await verifyPassword(file(), 'cafe\u0301 cafe\u0301 cafe\u0301')).toBe(true);
    expect(await verifyPassword(file(), 'cafe cafe cafe')).toBe(false);
    writeFileSync(file(), '{"kind":"plain"}');
    await expect(verifyPassword(file(), '')).rejects.toMatchObject({ code: 'DATA_UNREADABLE' });
  });

  test('X20 on loopback the password form does not exist; other addresses need a password', async () => {
    await serve({});
    const { port } = server;
    const answer = await fetch(`http://127.0.0.1:${port}/sign-in`, { redirect: 'manual' });
    expect(answer.status).toBe(404);
    await server.close();
    removePassword(file());
    await expect(serve({ host: HOST, plainHttp: true })).rejects.toMatchObject({ code: 'EXPOSURE_REFUSED' });
    expect(
      statSync(join(place.root, 'run', 'ledger', 'server.json'), { throwIfNoEntry: false }),
    ).toBeUndefined();
  });
});
