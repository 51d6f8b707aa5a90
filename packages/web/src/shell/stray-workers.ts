/**
 * Removes service workers left by another program that used our port (X1), which could read what we send. Then reloads
 * the page. Ours is at an address that no other program shares (N51).
 */
import { isInstallable, WORKER } from '@tugdeck/protocol/wire/installable';

export function removeStrayWorkers(): void {
  const workers = 'serviceWorker' in navigator ? navigator.serviceWorker : undefined;
  if (!workers?.controller) return;
  const own = new URL(WORKER, location.origin).href;
  if (isInstallable(location.origin) && workers.controller.scriptURL === own) return;
  void workers
    .getRegistrations()
    .then((found) => Promise.all(found.map((one) => one.unregister())))
    .then(() => location.reload());
}
