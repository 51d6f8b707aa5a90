/** The service worker with a simulated network and cache storage: what it stores, and what it leaves alone. */
import { isInstallable } from '@tugdeck/protocol/wire/installable';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

const ORIGIN = 'https://deck.example';
const POLICY = { 'content-security-policy': "default-src 'none'; script-src 'self'" };

class FakeCache {
  readonly kept = new Map<string, Response>();
  readonly #path = (key: RequestInfo | URL) =>
    new URL(key instanceof Request ? key.url : key, ORIGIN).pathname;
  async put(key: RequestInfo, value: Response) {
    this.kept.set(this.#path(key), value);
  }
  async match(key: RequestInfo) {
    return this.kept.get(this.#path(key))?.clone();
  }
  async delete(key: RequestInfo) {
    return this.kept.delete(this.#path(key));
  }
  async add(key: RequestInfo) {
    const answer = await fetch(key);
    if (!answer.ok) throw new TypeError('not ok');
    await this.put(key, answer);
  }
}

class FakeCaches {
  readonly all = new Map<string, FakeCache>();
  async open(name: string) {
    const cache = this.all.get(name) ?? new FakeCache();
    this.all.set(name, cache);
    return cache;
  }
  async match(key: RequestInfo) {
    for (const cache of this.all.values()) {
      const found = await cache.match(key);
      if (found) return found;
    }
    return undefined;
  }
  keys = async () => [...this.all.keys()];
  delete = async (name: string) => this.all.delete(name);
  has = async (name: string) => this.all.has(name);
}

interface Handled {
  readonly answer: Promise<Response> | undefined;
}

let storage: FakeCaches;
let network: (path: string) => Response;
let fetched: string[];
const listeners = new Map<string, (event: unknown) => void>();

/** `Response` outside of a browser has another type. */
function answer(body: string, init: ResponseInit = {}, type = 'basic'): Response {
  const made = new Response(body, init);
  const clone = made.clone.bind(made);
  Object.defineProperty(made, 'type', { value: type });
  made.clone = () => {
    const copy = clone();
    Object.defineProperty(copy, 'type', { value: type });
    return copy;
  };
  return made;
}
const page = (build: string, assets = ['main-1.js']) =>
  answer(
    `<html><head>${assets.map((name) => `<script src="/assets/${name}"></script>`).join('')}<meta name="tugdeck-build" content="${build}" /></head></html>`,
    { headers: POLICY },
  );

beforeEach(async () => {
  storage = new FakeCaches();
  fetched = [];
  network = (path) => (path === '/' ? page('one') : answer(`content of ${path}`));
  listeners.clear();
  vi.stubGlobal('caches', storage);
  vi.stubGlobal('location', { origin: ORIGIN });
  vi.stubGlobal('clients', { claim: async () => undefined });
  vi.stubGlobal('skipWaiting', async () => undefined);
  vi.stubGlobal('addEventListener', (type: string, run: (event: unknown) => void) =>
    listeners.set(type, run),
  );
  vi.stubGlobal('fetch', async (input: RequestInfo) => {
    const path = new URL(input instanceof Request ? input.url : input, ORIGIN).pathname;
    fetched.push(path);
    return network(path);
  });
  vi.resetModules();
  await import('../src/worker/worker.ts');
});
afterEach(() => vi.unstubAllGlobals());

function send(
  path: string,
  { method = 'GET', mode = 'cors', body }: { method?: string; mode?: string; body?: FormData } = {},
): Handled {
  const request = new Request(new URL(path, ORIGIN), { method, ...(body ? { body } : {}) });
  Object.defineProperty(request, 'mode', { value: mode });
  let given: Promise<Response> | undefined;
  listeners.get('fetch')?.({
    request,
    respondWith: (response: Promise<Response>) => {
      given = response;
    },
  });
  return { answer: given };
}
const open = (path = '/') => send(path, { mode: 'navigate' }).answer;
async function install() {
  let work: Promise<unknown> = Promise.resolve();
  listeners.get('install')?.({ waitUntil: (given: Promise<unknown>) => (work = given) });
  await work;
}
const stored = () => [...storage.all].map(([name, cache]) => [name, [...cache.kept.keys()].sort()]);
const offline = () => {
  throw new TypeError('Failed to fetch');
};

describe('an installed page', () => {
  test('N51 the worker stores the program when it is installed', async () => {
    await install();
    expect(stored()).toEqual([
      [
        'tugdeck-program-one',
        [
          '/',
          '/assets/main-1.js',
          '/icon-192.png',
          '/icon-512.png',
          '/icon-maskable.png',
          '/icon.svg',
          '/manifest.webmanifest',
        ],
      ],
    ]);
  });

  test.each([
    '/api/me',
    '/api/blob/s/0',
    '/api/file/raw?path=a&proof=x',
    '/api/sign-in',
    '/in/token',
    '/sign-in',
    '/ws',
    '/drawing/math.x.html',
    '/assets/deep/x.js',
    '/index.html',
    'https://elsewhere.example/assets/a-1.js',
  ])('N51 %s does not pass through the worker', async (path) => {
    await install();
    const before = stored();
    for (const mode of ['cors', 'navigate', 'no-cors']) expect(send(path, { mode }).answer).toBeUndefined();
    expect(send(path, { method: 'POST' }).answer).toBeUndefined();
    expect(stored()).toEqual(before);
  });

  test('N51 a page comes from the network, so that an update arrives at the next load', async () => {
    await install();
    network = (path) => (path === '/' ? page('two', ['main-2.js']) : answer(path));
    expect(await (await open())?.text()).toContain('content="two"');
    network = offline;
    expect(await (await open())?.text()).toContain('content="two"');
    // The open page of the earlier build still finds its parts; a third build removes the first.
    expect((await storage.match('/assets/main-1.js')) !== undefined).toBe(true);
    network = (path) => (path === '/' ? page('three') : answer(path));
    await open();
    expect([...storage.all.keys()]).toEqual(['tugdeck-program-two', 'tugdeck-program-three']);
  });

  test('N51 without a network, or while the proxy has no server, the stored page opens', async () => {
    await install();
    network = offline;
    expect(await (await open())?.text()).toContain('content="one"');
    network = () => answer('Bad gateway', { status: 502 });
    expect(await (await open())?.text()).toContain('content="one"');
    expect(await (await send('/assets/main-1.js').answer)?.text()).toBe('content of /assets/main-1.js');
    expect((await storage.match('/'))?.headers.get('content-security-policy')).toBe(
      POLICY['content-security-policy'],
    );
  });

  test('N51 nothing else that answers at our address is stored as the page', async () => {
    const others = [
      answer('Sign in to the network', { headers: {} }),
      answer('<meta name="tugdeck-build" content="evil"', {
        headers: { 'content-security-policy': "default-src 'self'" },
      }),
      answer('a page without a build', { headers: POLICY }),
      answer('<meta name="tugdeck-build" content="evil"', { status: 503, headers: POLICY }),
      answer('<meta name="tugdeck-build" content="evil"', { headers: POLICY }, 'opaqueredirect'),
    ];
    for (const other of others) {
      network = () => other;
      await open();
      expect(stored()).toEqual([]);
    }
  });

  test('N51 hashed files are loaded once', async () => {
    await install();
    await send('/assets/late-1.js').answer;
    fetched.length = 0;
    expect(await (await send('/assets/late-1.js').answer)?.text()).toBe('content of /assets/late-1.js');
    expect(fetched).toEqual([]);
    network = () => answer('no', { status: 404 });
    await send('/assets/gone-1.js').answer;
    expect(await storage.match('/assets/gone-1.js')).toBeUndefined();
  });

  test('N51 shared text and files stay on the device until the page takes it', async () => {
    await install();
    fetched.length = 0;
    const body = new FormData();
    body.append('title', 'A link');
    body.append('text', 'x'.repeat(70_000));
    body.append('url', 'https://example.org');
    body.append('files', new File(['photo'], 'a b.png', { type: 'image/png' }));
    const reply = vi.fn((path: string, status: number) => ({ path, status }));
    vi.spyOn(Response, 'redirect').mockImplementation(reply as never);
    expect(await send('/share', { method: 'POST', mode: 'navigate', body }).answer).toEqual({
      path: '/?shared',
      status: 303,
    });
    expect(fetched).toEqual([]);
    const shared = await storage.open('tugdeck-shared');
    expect((await (await shared.match('/shared/text'))?.text())?.length).toBe(64 * 1024);
    const file = await shared.match('/shared/file-0');
    expect([file?.headers.get('x-name'), await file?.text()]).toEqual(['a%20b.png', 'photo']);
    // A request by a script of another page is none by the system.
    expect(send('/share', { method: 'POST', mode: 'cors', body }).answer).toBeUndefined();
  });
});

describe('a notification', () => {
  const shown: { title: string; options: Record<string, unknown> }[] = [];
  const opened: unknown[] = [];
  let pages: { url: string; focus(): Promise<void>; postMessage(message: unknown): void }[] = [];
  beforeEach(() => {
    shown.length = 0;
    opened.length = 0;
    pages = [];
    vi.stubGlobal('registration', {
      showNotification: async (title: string, options: Record<string, unknown>) =>
        shown.push({ title, options }),
    });
    vi.stubGlobal('clients', {
      matchAll: async () => pages,
      openWindow: async (url: string) => opened.push(url),
    });
  });
  const receive = (text: string | undefined) =>
    dispatch('push', { data: text === undefined ? null : { text: () => text } });
  const press = (action: string, data: object) =>
    dispatch('notificationclick', { action, notification: { data, close: vi.fn() } });
  async function dispatch(type: string, event: object) {
    let work: Promise<unknown> = Promise.resolve();
    listeners.get(type)?.({ ...event, waitUntil: (given: Promise<unknown>) => (work = given) });
    await work;
  }

  test('N52 is shown for every message, with buttons only for a request', async () => {
    await receive(JSON.stringify({ title: 'my-app', body: 'Needs you', session: 's' }));
    await receive(
      JSON.stringify({
        title: 'my-app',
        body: 'Bash: ls',
        session: 's',
        request: { entry: 'r', shown: 'h' },
      }),
    );
    for (const broken of [undefined, '', '{', '[]', '{"title":1}']) await receive(broken);
    expect(shown.map(({ title }) => title)).toEqual(['my-app', 'my-app', ...new Array(5).fill('Tugdeck')]);
    expect(shown[0]?.options).toMatchObject({ tag: 's', data: { session: 's' } });
    expect(shown[0]?.options.actions).toBeUndefined();
    expect(shown[1]?.options.actions).toEqual([
      { action: 'allow', title: 'Allow' },
      { action: 'deny', title: 'Deny' },
    ]);
  });

  test('N52 a press opens the session, in an open page if there is one', async () => {
    await press('', { session: 's', at: 0 });
    expect(opened).toEqual(['/#/session/s']);
    const page = { url: `${ORIGIN}/#/home`, focus: vi.fn(async () => undefined), postMessage: vi.fn() };
    pages = [page];
    await press('', { session: 's', at: 0 });
    expect(page.postMessage).toHaveBeenCalledWith({ type: 'open', session: 's' });
    expect(page.focus).toHaveBeenCalled();
    expect(opened).toHaveLength(1);
  });

  test('N52 a hasty press, or one without a sign-in, opens the session and answers nothing', async () => {
    vi.stubGlobal('indexedDB', {
      open: () => {
        throw new Error('no database');
      },
    });
    const request = { entry: 'r', shown: 'h' };
    await press('allow', { session: 's', request, at: Date.now() });
    await press('allow', { session: 's', request, at: Date.now() - 5_000 });
    expect(fetched).toEqual([]);
    expect(opened).toEqual(['/#/session/s', '/#/session/s']);
  });
});

test.each<[string, boolean]>([
  ['https://deck.example', true],
  ['https://machine.tailnet.ts.net:8443', true],
  ['http://deck.example', false],
  ['https://localhost', false],
  ['https://x.localhost:7000', false],
  ['https://127.0.0.1:7000', false],
  ['https://10.0.0.1', false],
  ['https://[::1]:7000', false],
  ['https://deck', false],
])('N51 a page at %s can be installed: %s', (origin, expected) => {
  expect(isInstallable(origin)).toBe(expected);
});
