/**
 * The page cache in this browser (D5): opens it for the client, writes it when the page is hidden, and deletes it
 * on request.
 */
import { PageCache } from '@tugdeck/client/cache';
import { signOutHere } from './api.ts';
import { port } from './cache-port.ts';
import { clearLocalData } from './clear-local-data.ts';

let cache: PageCache | undefined;

/** Undefined if the browser has no IndexedDB. */
export function openPageCache(): PageCache | undefined {
  if (!port) return undefined;
  const opened = new PageCache({
    port,
    fault: (why) => console.warn(why),
  });
  cache = opened;
  addEventListener('pagehide', () => opened.flush());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') opened.flush();
  });
  return opened;
}

/** Clears the cached history of one project, or of all. */
export function clearHistory(project?: string): void {
  void cache?.clear(project);
}

/** Signs out and removes all local data from this browser. */
export async function signOut(): Promise<void> {
  await cache?.signedOut();
  await clearLocalData();
  sessionStorage.clear();
  await signOutHere();
}
