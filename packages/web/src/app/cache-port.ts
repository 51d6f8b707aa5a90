/**
 * The page's store in this browser, connected to before any other code of the page runs: `main.tsx` imports this first.
 * Must import nothing that takes time.
 */
import { openIndexedDbCache } from '@tugdeck/client/cache-indexed-db';

/** Undefined where the browser has none. */
export const port = typeof indexedDB === 'undefined' ? undefined : openIndexedDbCache(indexedDB);
