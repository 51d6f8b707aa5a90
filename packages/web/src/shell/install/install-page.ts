/**
 * Makes the page installable (N51): its worker, manifest and icons, only with TLS and its own host name. Loaded after
 * the first connection, so that nothing is stored for a visitor without a sign-in.
 */
import { WORKER } from '@tugdeck/protocol/wire/installable';
import { BRAND } from '../../ui/tokens/brand.ts';

export function installPage(): void {
  addLink('manifest', '/manifest.webmanifest');
  addLink('apple-touch-icon', '/icon-192.png');
  const color = document.createElement('meta');
  color.name = 'theme-color';
  color.content = BRAND.ground;
  document.head.append(color);
  navigator.serviceWorker
    // The browser's HTTP cache is not asked, so an update is found at once.
    ?.register(WORKER, { scope: '/', updateViaCache: 'none' })
    .catch((error: unknown) => console.warn('worker', error));
}

function addLink(rel: string, href: string): void {
  const link = document.createElement('link');
  link.rel = rel;
  link.href = href;
  document.head.append(link);
}
