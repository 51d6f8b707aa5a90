/** The preview proxy against a real HTTP server, without a browser. */
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { insertScript } from '../src/preview/insert-script.ts';
import { ownLocation, requestHeaders, responseHeaders } from '../src/preview/preview-headers.ts';
import { createProxy } from '../src/preview/preview-proxy.ts';
import { Previews } from '../src/preview/previews.ts';
import { newInstance } from '../src/transport/instance.ts';

const DECK = 'http://127.0.0.1:7700';
let app: Server;
let proxy: Server;
let previews: Previews;
let redirects: string[];
let clock: number;
let deck: () => string;
/** Requests that reached the app. */
let seen: { url: string | undefined; method: string | undefined; headers: IncomingHttpHeaders }[];

beforeEach(async () => {
  clock = 0;
  deck = () => DECK;
  seen = [];
  redirects = [];
  app = createServer((incoming, response) => {
    const { url, method, headers } = incoming;
    seen.push({ url, method, headers });
    if (url === '/odd') incoming.socket.end('HTTP/1.1 042 Odd\r\ncontent-length: 0\r\n\r\n');
    else if (url === '/away') response.writeHead(302, { location: 'http://localhost:1/there' }).end();
    else if (url === '/stream')
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    else if (url === '/page') {
      response.writeHead(200, { 'content-type': 'text/html', 'x-frame-options': 'DENY' });
      response.end('<!doctype html><head><title>x</title></head>');
    } else incoming.pipe(response.writeHead(200, { 'content-type': 'text/javascript' }));
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  previews = new Previews(
    newInstance(),
    () => portOf(proxy),
    () => clock,
  );
  proxy = createProxy({ previews, deck: () => deck(), script: () => Buffer.from('script') });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  previews.endAll();
  for (const server of [app, proxy]) {
    server.close();
    server.closeAllConnections();
  }
});

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const target = (signIn = 'me', name = 'app') => ({
  signIn,
  name,
  origin: `http://localhost:${portOf(app)}`,
  path: '/page',
  connect: async () => {
    const socket = connect(portOf(app), '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    return socket;
  },
  redirected: (address: string) => redirects.push(address),
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function get(
  host: string,
  path: string,
  headers: Record<string, string> = {},
  { method = 'GET', body = '' } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: portOf(proxy), path, method, headers: { host, ...headers }, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body === '' ? undefined : body);
  });
}

/** Opens a preview and signs its frame in. */
async function open(signIn?: string, name?: string) {
  const opened = previews.open(target(signIn, name));
  const { host, pathname } = new URL(opened.url);
  const answer = await get(host, pathname);
  const cookie = String(answer.headers['set-cookie']?.[0]).split(';')[0] ?? '';
  return { ...opened, host, pathname, answer, cookie };
}

/** The proxy's answer to exactly these bytes. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket: Socket = connect(portOf(proxy), '127.0.0.1', () => socket.end(bytes));
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', () => undefined).on('close', () => resolve(text));
  });
}

describe('W7 sign-in', () => {
  test('W7 a preview link works once, for its host, and sets a cookie that scripts can’t read', async () => {
    const { answer, host, pathname } = await open();
    expect([answer.status, answer.headers.location]).toEqual([303, '/page']);
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(
      /^tugdeck-preview=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=None; Partitioned$/,
    );
    expect((await get(host, pathname)).status).toBe(401);
    const other = previews.open(target('me', 'other'));
    expect((await get(host, new URL(other.url).pathname)).status).toBe(401);
  });

  test('W7 a preview link expires after a minute', async () => {
    const { url } = previews.open(target());
    clock += 60_000;
    expect((await get(new URL(url).host, new URL(url).pathname)).status).toBe(401);
  });

  test('W7 without the cookie, with another’s or another host, nothing reaches the app', async () => {
    const { host, cookie } = await open();
    const another = await open('somebody else');
    const third = await open('me', 'third');
    for (const [name, value] of [
      [host, undefined],
      [host, 'tugdeck-preview=x'],
      [host, third.cookie],
      ['evil.example', cookie],
      [`localhost:${portOf(proxy)}`, cookie],
      [`127.0.0.1:${portOf(proxy)}`, cookie],
      [host.replace(/:\d+$/, ''), cookie],
      [`${host}.`, cookie],
    ] as const)
      expect([401, 421]).toContain(
        (await get(name, '/page', value === undefined ? {} : { cookie: value })).status,
      );
    expect(another.host).toBe(host);
    expect(another.cookie).not.toBe(cookie);
    expect(seen).toEqual([]);
  });

  test('W7 an ended preview answers nothing, and its running responses are closed', async () => {
    const { host, cookie, end } = await open();
    const stream = get(host, '/stream', { cookie });
    await expect.poll(() => seen.length).toBe(1);
    end();
    await expect(stream).rejects.toThrow();
    expect((await get(host, '/page', { cookie })).status).toBe(421);
  });

  test('W7 a preview keeps its origin when it is opened again, and another project has another', async () => {
    const first = previews.open(target());
    first.end();
    expect(previews.open(target()).origin).toBe(first.origin);
    expect(previews.open(target('me', 'other')).origin).not.toBe(first.origin);
  });
});

describe('W7 requests', () => {
  test('W7 a status that HTTP does not have is an error page, and the proxy continues', async () => {
    const { host, cookie } = await open();
    expect((await get(host, '/odd', { cookie })).status).toBe(502);
    expect((await get(host, '/page', { cookie })).status).toBe(200);
  });

  test('W7 while the deck’s port is lost, requests are closed, and the proxy continues', async () => {
    const { host, cookie } = await open();
    deck = () => {
      throw new Error('no port');
    };
    for (const path of ['/page', '/away', '/.tugdeck/in/x'])
      await expect(get(host, path, { cookie, accept: 'text/html' })).rejects.toThrow();
    await expect(get('evil.example', '/page')).rejects.toThrow();
    deck = () => DECK;
    expect((await get(host, '/page', { cookie })).status).toBe(200);
  });

  test('W7 the app sees its own address, and neither the cookie nor the origin of the preview', async () => {
    const { host, cookie, origin } = await open();
    const headers = {
      cookie: `a=1; ${cookie}; b=2`,
      origin,
      referer: `${origin}/page?x`,
      'sec-fetch-site': 'same-origin',
      connection: 'x-private',
      'x-private': '1',
    };
    const answer = await get(host, '/api?x=1', headers, { method: 'POST', body: 'hello' });
    expect([answer.status, answer.body]).toEqual([200, 'hello']);
    const own = `http://localhost:${portOf(app)}`;
    const [request] = seen;
    expect(request).toMatchObject({
      url: '/api?x=1',
      method: 'POST',
      headers: { host: new URL(own).host, origin: own, referer: `${own}/page?x`, cookie: 'a=1; b=2' },
    });
    expect(request?.headers['x-private']).toBeUndefined();
  });

  test('W7 scripts arrive whole, documents with our script, which only the deck may frame', async () => {
    const { host, cookie } = await open();
    const page = await get(host, '/page', { cookie, accept: 'text/html' });
    expect(page.body).toBe(
      `<!doctype html><head><script src="/.tugdeck/frame.js" data-deck="${DECK}"></script><title>x</title></head>`,
    );
    expect(page.headers['x-frame-options']).toBeUndefined();
    expect(page.headers['content-security-policy']).toBe(`frame-ancestors 'self' ${DECK}`);
    expect((await get(host, '/.tugdeck/frame.js', { cookie })).body).toBe('script');
    expect((await get(host, '/.tugdeck/else', { cookie })).status).toBe(404);
  });

  test('W7 another page can’t send requests to the app', async () => {
    const { host, cookie, origin } = await open();
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: DECK, 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'script' },
    ])
      expect((await get(host, '/page', { cookie, ...headers })).status).toBe(403);
    const post = { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' };
    expect((await get(host, '/page', post, { method: 'POST' })).status).toBe(403);
    expect(seen).toEqual([]);
    const navigation = { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' };
    expect((await get(host, '/page', navigation)).status).toBe(200);
    expect((await get(host, '/page', { cookie, origin })).status).toBe(200);
  });

  test('W7 a redirect to another port is reported and not followed', async () => {
    const { host, cookie } = await open();
    const answer = await get(host, '/away', { cookie, accept: 'text/html' });
    expect(answer.status).toBe(200);
    expect(answer.headers.location).toBeUndefined();
    expect(answer.body).not.toContain('localhost:1');
    expect(redirects).toEqual(['http://localhost:1/there']);
  });

  test('W7 smuggled, absolute and upgraded requests reach nothing else', async () => {
    const { host, cookie } = await open();
    const head = `Host: ${host}\r\nCookie: ${cookie}\r\n`;
    const both = await raw(
      `POST / HTTP/1.1\r\n${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n${head}\r\n`,
    );
    expect(both).toMatch(/^(HTTP\/1\.1 400|$)/);
    const absolute = await raw(`GET http://127.0.0.1:22/ HTTP/1.1\r\n${head}Connection: close\r\n\r\n`);
    expect(absolute).toMatch(/^HTTP\/1\.1 421/);
    expect(await raw(`CONNECT 127.0.0.1:22 HTTP/1.1\r\n${head}\r\n`)).toBe('');
    const upgrade = await raw(
      `GET / HTTP/1.1\r\n${head}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\nGET /smuggled HTTP/1.1\r\n${head}\r\n`,
    );
    expect(upgrade).toMatch(/^HTTP\/1\.1 403/);
    // The app doesn't upgrade: what follows must not be read as requests.
    const socket = await raw(
      `GET / HTTP/1.1\r\n${head}Origin: http://${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nGET /smuggled HTTP/1.1\r\n${head}\r\n`,
    );
    expect(socket).toMatch(/^(HTTP\/1\.1 502|$)/);
    expect(seen.map(({ url }) => url)).not.toContain('/smuggled');
  });

  test('W7 a socket needs the cookie and the origin of the preview', async () => {
    const { host, cookie } = await open();
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
    for (const head of [
      `Cookie: ${cookie}\r\n`,
      `Cookie: ${cookie}\r\nOrigin: ${DECK}\r\n`,
      `Cookie: ${cookie}\r\nOrigin: null\r\n`,
      `Origin: http://${host}\r\n`,
    ])
      expect(await raw(`GET / HTTP/1.1\r\nHost: ${host}\r\n${head}${upgrade}\r\n`)).toMatch(
        /^HTTP\/1\.1 403/,
      );
    expect(seen).toEqual([]);
  });
});

describe('W7 headers', () => {
  const origins = { preview: 'http://p.localhost:9', target: 'http://localhost:5173', deck: DECK };

  test('W7 cookies of the app stay in its frame', () => {
    const headers = responseHeaders(
      [
        'Set-Cookie',
        'a=1; Domain=localhost; Path=/x; SameSite=Strict; HttpOnly',
        'Set-Cookie',
        'tugdeck-preview=1',
      ],
      undefined,
      origins,
    );
    expect(headers.slice(0, -2)).toEqual([
      'set-cookie',
      'a=1; Path=/x; HttpOnly; Secure; SameSite=None; Partitioned',
    ]);
  });

  test('W7 headers that reach beyond the frame are dropped', () => {
    const raw = [
      'Alt-Svc',
      'h2=":1"',
      'Strict-Transport-Security',
      'max-age=1',
      'Clear-Site-Data',
      '"cookies"',
      'X',
      '1',
    ];
    expect(responseHeaders(raw, undefined, origins)).toEqual([
      'X',
      '1',
      'content-security-policy',
      `frame-ancestors 'self' ${DECK}`,
    ]);
    const policy = [
      'Content-Security-Policy',
      "script-src 'self'; frame-ancestors 'none'; upgrade-insecure-requests",
    ];
    expect(responseHeaders(policy, undefined, origins)[1]).toBe("script-src 'self'");
  });

  test.for([
    ['/next', '/next'],
    ['next?a#b', 'next?a#b'],
    ['http://localhost:5173/next', '/next'],
    ['http://127.0.0.1:5173/next', '/next'],
    ['http://p.localhost:9/next', '/next'],
    ['//localhost:5173/next', '/next'],
    ['http://localhost:4000/next', undefined],
    ['https://localhost:5173/next', undefined],
    ['//evil.example/next', undefined],
    ['javascript:alert(1)', undefined],
    ['http://localhost:5173@evil.example/', undefined],
  ] as const)('W7 a redirect to %s becomes %s', ([location, expected]) => {
    expect(ownLocation(location, origins)).toBe(expected);
  });

  test('W7 only a document is requested without compression', () => {
    const raw = ['Accept-Encoding', 'br', 'Host', 'p.localhost:9'];
    expect(requestHeaders(raw, {}, origins)).toEqual(['host', 'localhost:5173', 'Accept-Encoding', 'br']);
    expect(requestHeaders(raw, {}, origins, { isDocument: true })).toEqual([
      ...['host', 'localhost:5173', 'accept-encoding', 'identity'],
    ]);
  });

  test.for([
    ['<html><head lang="x"><title>', '<html><head lang="x">S<title>'],
    ['<!doctype html><p>no head</p>', '<!doctype html>S<p>no head</p>'],
    ['<!-- a --> <!doctype html><p>', '<!-- a --> <!doctype html>S<p>'],
    ['plain', 'Splain'],
    ['<header></header>', 'S<header></header>'],
  ] as const)('W7 the script is inserted into %s', async ([text, expected]) => {
    const transform = insertScript('S');
    for (const letter of text) transform.write(letter);
    transform.end();
    expect(Buffer.concat(await transform.toArray()).toString()).toBe(expected);
  });

  test('W7 the search for the head does not begin in an open tag, so it is linear', async () => {
    const transform = insertScript('S');
    transform.end('<head <head <b><head>');
    expect(Buffer.concat(await transform.toArray()).toString()).toBe('<head <head <b><head>S');
  });

  test('W7 a document of comments alone is read in one pass', async () => {
    const transform = insertScript('S');
    transform.end('<!---->'.repeat(9_000));
    expect(Buffer.concat(await transform.toArray())).toHaveLength(9_000 * 7 + 1);
  });
});
