/**
 * Removes service workers left by another program that used our port (X1): we have none, and they could read what
 * we send. Then reloads the page.
 */
export function removeStrayWorkers(): void {
  const workers = 'serviceWorker' in navigator ? navigator.serviceWorker : undefined;
  if (!workers?.controller) return;
  void workers
    .getRegistrations()
    .then((found) => Promise.all(found.map((one) => one.unregister())))
    .then(() => location.reload());
}
