/**
 * Opens the sign-in and the cache of this browser. In its own chunk, which runs while the rest of the page's code
 * is still loading (`page-files.ts`) and preloads what the URL names. Must not import anything slow.
 */
import { openIndexedDbCache } from '@tugdeck/client/cache-indexed-db';
import { DECK_KEY, WINDOW_PREFIX } from '@tugdeck/client/cache-port';
import { openCredentialStore } from '@tugdeck/client/credentials';
import { requestGrant, tokenOf } from '@tugdeck/client/grant-request';
import { sessionOfHash } from './route.ts';

const factory = typeof indexedDB === 'undefined' ? undefined : indexedDB;
export const credentials = openCredentialStore(factory, storage());
credentials.preload();

const token = tokenOf(location.pathname);
/** The exchange of the URL's one-time token, if it has one. */
export const grant =
  token === undefined ? undefined : { token, request: requestGrant(token, location.origin, fetch) };
// Handled by the sign-in, which is still loading.
grant?.request.catch(() => undefined);

/** Undefined if the browser has no IndexedDB. */
export const port = factory && openIndexedDbCache(factory);

const session = sessionOfHash(location.hash);
if (session !== undefined) port?.preload([DECK_KEY, WINDOW_PREFIX + session]);

function storage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined; // The browser refuses any storage.
  }
}
