import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { FEED } from '@tugdeck/protocol/wire/frames';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunningServer } from '../src/main.ts';
import {
  fetchUrl,
  pageWithSession,
  prompt,
  signIn,
  TestPage,
  type TestPlace,
  testPlace,
} from './test-server.ts';

let place: TestPlace;
let server: RunningServer;
beforeEach(async () => {
  place = testPlace();
  server = await place.start();
});
afterEach(() => place.clear());

/** Sends raw bytes, without a client that would fix them. Resolves with the complete response. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

function files(root: string): { path: string; mode: number; isDirectory: boolean }[] {
  return readdirSync(root, { recursive: true, withFileTypes: true }).map((file) => {
    const path = join(file.parentPath, file.name);
    return { path, mode: statSync(path).mode & 0o777, isDirectory: file.isDirectory() };
  });
}

describe('paths', () => {
  test('X34 nothing outside the page is served, however the path is written', async () => {
    const { visit, session } = await pageWithSession(place, server);
    const host = server.origin.replace('http://', '');
    const paths = [
      '/../data/tugdeck.db',
      '/assets/../../data/tugdeck.db',
      '/assets/..%2f..%2fdata/tugdeck.db',
      '/assets/%2e%2e/%2e%2e/data/config.json',
      '/assets/..\\..\\data\\config.json',
      '/assets/a-1.js%00.html',
      '//etc/passwd',
      '/in/../assets/a-1.js',
      `/api/blob/${session}/..%2f..%2f..%2ftugdeck.db`,
      `/api/blob/..%2f${session}/${'0'.repeat(64)}`,
      `/api/blob/${session}/${'0'.repeat(63)}/`,
      `http://${host}/../data/tugdeck.db`,
      '/%',
      '/api/blob/%ff/%c0%ae',
    ];
    for (const path of paths) {
      const { authorization } = await visit.proof(path);
      const answer = await raw(
        `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer, path).toMatch(/^HTTP\/1\.1 (400|401|404) /);
      expect(answer, path).toMatch(/content-security-policy: default-src 'none'/i);
      expect(answer, path).not.toContain('SQLite');
    }
  });

  test('X1 a response never contains a header from the request', async () => {
    const host = server.origin.replace('http://', '');
    const answer = await raw(
      `GET /in/x%0d%0aset-cookie:%20evil=1 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).not.toMatch(/^set-cookie/im);
  });
});

describe('messages from a page', () => {
  test('S2 a deeply nested message is refused and crashes nothing', async () => {
    const { page } = await pageWithSession(place, server);
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const deep = nested(200_000);
    const id = randomUUID();
    page.send(
      FEED.conversationIn,
      1,
      `{"type":"command","command":{"kind":"request.answer","id":"${id}",
      "entry":"e","shown":"s","answer":{"type":"permission","behavior":"allow","input":{"a":${deep}}}}}`,
    );
    expect(await page.hostMessage(1, ({ type }) => type === 'error')).toMatchObject({
      code: 'INVALID_MESSAGE',
    });
    // Brackets inside a string are not nesting.
    const words = randomUUID();
    page.send(FEED.conversationIn, 1, prompt(`"\\${nested(500)}`, words));
    await page.hostMessage(1, (message) => message.type === 'receipt' && message.command === words);
    page.send(FEED.deck, 0, deep);
    await page.deckMessage((message) => message.type === 'error' && message.code === 'INVALID_MESSAGE');
    const next = randomUUID();
    page.send(FEED.conversationIn, 1, prompt('still here', next));
    await page.hostMessage(1, (message) => message.type === 'receipt' && message.command === next);
  });

  test('X2 a request that never completes is aborted', async () => {
    await server.close();
    server = await place.start({ limits: { httpRequestMs: 50 } });
    const host = server.origin.replace('http://', '');
    // Never completed by this side: only the server can end it.
    expect(await raw(`GET / HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `)).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });
});

test('X1 X3 everything the server creates is private, and logs contain no token or secret', async () => {
  const umask = process.umask(0);
  try {
    await server.close();
    server = await place.start({ config: { logLevel: 'debug' } });
    const { url } = await server.add(place.project, {});
    const visit = await signIn(url);
    const page = await TestPage.open(server, visit);
    await page.welcome();
    await fetchUrl(url);
    const data = files(place.root).filter(
      ({ path }) => !/sessions.*fake|logs.*\.out$|ledger.host-/.test(path),
    );
    expect(data.length).toBeGreaterThan(5);
    expect(data.filter(({ mode, isDirectory }) => mode !== (isDirectory ? 0o700 : 0o600))).toEqual([]);
    const secrets = [url.split('/in/')[1] ?? '', (await visit.proof('/api/me')).authorization ?? ''];
    for (const { path } of data.filter(({ path: name }) => name.includes('/logs/'))) {
      const text = readFileSync(path, 'utf8');
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
  } finally {
    process.umask(umask);
  }
});
