/**
 * Makes the page installable (N51): its worker, manifest and icons, only with TLS and its own host name. Loaded after
 * the first connection, so that nothing is stored for a visitor without a sign-in.
 */
import { WORKER } from '@tugdeck/protocol/wire/installable';
import { showSession } from '../../kit/route.ts';
import { BRAND } from '../../ui/tokens/brand.ts';

export function installPage(): void {
  addLink('manifest', '/manifest.webmanifest');
  addLink('apple-touch-icon', '/icon-192.png');
  const color = document.createElement('meta');
  color.name = 'theme-color';
  color.content = BRAND.ground;
  document.head.append(color);
  followWorker();
  navigator.serviceWorker
    // The browser's HTTP cache is not asked, so an update is found at once.
    ?.register(WORKER, { scope: '/', updateViaCache: 'none' })
    .then(storeLoaded)
    .catch((error: unknown) => console.warn('worker', error));
}

/** Files that were loaded before the worker took over pass it now, from the browser's own cache. */
async function storeLoaded(): Promise<void> {
  const workers = navigator.serviceWorker;
  if (workers.controller) return;
  await new Promise((done) => workers.addEventListener('controllerchange', done, { once: true }));
  for (const { name } of performance.getEntriesByType('resource')) {
    const { origin, pathname } = new URL(name);
    if (origin === location.origin && pathname.startsWith('/assets/')) await fetch(pathname);
  }
}

interface OpenMessage {
  readonly type?: unknown;
  readonly session?: unknown;
}

/** A notification was pressed while the page is open. */
function followWorker(): void {
  navigator.serviceWorker?.addEventListener('message', ({ data }: MessageEvent<OpenMessage | null>) => {
    if (data?.type === 'open' && typeof data.session === 'string') showSession(data.session);
  });
}

function addLink(rel: string, href: string): void {
  const link = document.createElement('link');
  link.rel = rel;
  link.href = href;
  document.head.append(link);
}
