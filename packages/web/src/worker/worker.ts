/**
 * The service worker of an installed page (N51). It caches the program and nothing else, and takes what other apps
 * share. Requests to `/api/`, sign-in pages and sockets never pass through it.
 */
import { pressed, showMessage } from './notifications.ts';
import { isProgram, load, loadPage, storePage } from './program-cache.ts';
import { SHARE_PATH, takeShared } from './shared-files.ts';
import { scope } from './worker-scope.ts';

scope.addEventListener('install', (event) => {
  // At once: the page works with a worker of any version, so nothing waits for a reload.
  event.waitUntil(Promise.all([scope.skipWaiting(), storePage()]));
});
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()));

scope.addEventListener('push', (event) => event.waitUntil(showMessage(event)));
scope.addEventListener('notificationclick', (event) => event.waitUntil(pressed(event)));

scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== scope.location.origin) return;
  if (request.method === 'POST' && pathname === SHARE_PATH && request.mode === 'navigate')
    event.respondWith(takeShared(request));
  if (request.method !== 'GET') return;
  if (request.mode === 'navigate' && pathname === '/') event.respondWith(loadPage(request));
  else if (isProgram(pathname)) event.respondWith(load(request));
});
