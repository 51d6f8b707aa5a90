/**
 * The program in the browser's cache, so that an installed page starts without a network. One cache per build, of which
 * the last two are kept: an open page may still need a part of the earlier one. Stored with its headers, and so with the
 * content policy.
 */
const PREFIX = 'tugdeck-program-';
const PAGE = '/';
/** Names contain the hash of their content. */
const HASHED = /^\/assets\/[\w.-]+$/;
const PLAIN: ReadonlySet<string> = new Set([
  '/icon.svg',
  '/icon-192.png',
  '/icon-512.png',
  '/icon-maskable.png',
  '/manifest.webmanifest',
]);
/** A network that answers more slowly than this counts as none, if there is a stored page. */
const PATIENCE_MS = 6_000;

export const isProgram = (path: string): boolean => HASHED.test(path) || PLAIN.has(path);

/** From the network, so that an update arrives with the next load; otherwise the stored page. */
export async function loadPage(request: Request): Promise<Response> {
  const stored = await caches.match(PAGE);
  const late = new AbortController();
  const timer = stored && setTimeout(() => late.abort(), PATIENCE_MS);
  try {
    const answer = await fetch(request.url, { ...PLAINLY, signal: late.signal });
    if (stored && answer.status >= 500) return stored;
    // A full disk must not keep the page from opening.
    await keepPage(answer.clone()).catch(() => undefined);
    return answer;
  } catch (error) {
    if (stored) return stored;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** A page asks for its icons and code with its own settings; the program is the same for everyone. */
const PLAINLY = { credentials: 'omit', redirect: 'manual' } as const;

export async function load(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const stored = await caches.match(pathname);
  if (stored && HASHED.test(pathname)) return stored;
  try {
    const answer = await fetch(request);
    if (answer.status === 200 && answer.type === 'basic')
      await keep(pathname, answer.clone()).catch(() => undefined);
    return answer;
  } catch (error) {
    if (stored) return stored;
    throw error;
  }
}

/** With the files that it needs to start. */
export async function storePage(): Promise<void> {
  const answer = await fetch(PAGE, { ...PLAINLY, cache: 'no-cache' });
  const text = await answer.clone().text();
  const cache = await keepPage(answer);
  const paths = [...text.matchAll(/(?:src|href)="(\/assets\/[\w.-]+)"/g)].map(([, path]) => path ?? '');
  if (cache) await Promise.all([...new Set(paths), ...PLAIN].map((path) => cache.add(path)));
}

/** Nothing else that may answer at our address, such as the proxy's own error page. */
async function keepPage(answer: Response): Promise<Cache | undefined> {
  const policy = answer.headers.get('content-security-policy') ?? '';
  if (answer.status !== 200 || answer.type !== 'basic' || !policy.startsWith("default-src 'none'"))
    return undefined;
  const copy = answer.clone();
  const build = /<meta name="tugdeck-build" content="(\w+)"/.exec(await answer.text())?.[1];
  if (build === undefined) return undefined;
  const cache = await caches.open(PREFIX + build);
  await cache.put(PAGE, copy);
  await removeOlder(PREFIX + build);
  return cache;
}

async function keep(path: string, answer: Response): Promise<void> {
  const newest = (await names()).at(-1);
  if (newest !== undefined) await (await caches.open(newest)).put(path, answer);
}

/** In the order of their creation. */
async function names(): Promise<string[]> {
  return (await caches.keys()).filter((name) => name.startsWith(PREFIX));
}

async function removeOlder(current: string): Promise<void> {
  const others = (await names()).filter((name) => name !== current);
  await Promise.all(others.slice(0, -1).map((name) => caches.delete(name)));
  // The page of an earlier build would be found first.
  await Promise.all(others.slice(-1).map(async (name) => (await caches.open(name)).delete(PAGE)));
}
