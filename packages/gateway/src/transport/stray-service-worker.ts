/**
 * Removes service workers of other programs (X1). A program that once used our port may have left one in the user's
 * browser, which would answer instead of us. Browsers check for updates of a worker's script: whatever script is
 * requested, we answer with one that unregisters the worker and reloads its pages.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';

const UNREGISTER_SCRIPT = `self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(leave()));
async function leave() {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  await self.registration.unregister();
  for (const page of pages) page.navigate(page.url).catch(() => undefined);
}
`;

export function isServiceWorkerRequest(headers: IncomingHttpHeaders): boolean {
  return headers['service-worker'] !== undefined;
}

export function sendUnregisterScript(reply: FastifyReply): FastifyReply {
  return (
    reply
      .status(200)
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'no-store')
      // Needed if the worker was registered for more than its own folder.
      .header('service-worker-allowed', '/')
      .send(UNREGISTER_SCRIPT)
  );
}
