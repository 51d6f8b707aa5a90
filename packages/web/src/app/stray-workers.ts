/**
 * We have no service worker: one that controls this page was left by another program that had our port, and sees what we send (X1). It is
 * removed, and the page comes again without it.
 */
export function removeStrayWorkers(): void {
  const workers = 'serviceWorker' in navigator ? navigator.serviceWorker : undefined;
  if (!workers?.controller) return;
  void workers
    .getRegistrations()
    .then((found) => Promise.all(found.map((one) => one.unregister())))
    .then(() => location.reload());
}
