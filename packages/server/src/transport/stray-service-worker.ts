/**
 * Service workers that are not ours (X1). Another program that once had our port may have left one in the user's browser, which
 * would answer in our place for good. Browsers look for a newer script of a worker by themselves: whichever script is
 * asked for, the answer is one that removes the worker and loads its pages afresh.
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
      // A worker may have been registered for more than its own folder; without this it would stay.
      .header('service-worker-allowed', '/')
      .send(UNREGISTER_SCRIPT)
  );
}
