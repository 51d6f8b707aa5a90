/**
 * What this browser keeps for the page, its sign-in and its cache, in a file of its own that runs while the rest of the page's code is still being
 * read (`page-files.ts`): connects, and asks for what the address names, so that it is there when the page is first
 * drawn. Must import nothing that takes time.
 */
import { openIndexedDbCache } from '@tugdeck/client/cache-indexed-db';
import { DECK_KEY, WINDOW_PREFIX } from '@tugdeck/client/cache-port';
import { openCredentialStore } from '@tugdeck/client/credentials';
import { sessionOfHash } from './route.ts';

const factory = typeof indexedDB === 'undefined' ? undefined : indexedDB;
export const credentials = openCredentialStore(factory, storage());
credentials.preload();

/** Undefined where the browser has none. */
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
