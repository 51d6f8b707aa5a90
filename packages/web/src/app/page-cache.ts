/**
 * The page's cache in this browser (D5): opens it for the client, writes it when the page hides, and deletes it
 * when the user says so.
 */
import { PageCache } from '@tugdeck/client/cache';
import { signOutHere } from './api.ts';
import { port } from './cache-port.ts';
import { clearLocalData } from './clear-local-data.ts';

let cache: PageCache | undefined;

/** Undefined where the browser has none. */
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

/** Of one project, or all. */
export function clearHistory(project?: string): void {
  void cache?.clear(project);
}

/** Nothing that was read or typed here stays in this browser. */
export async function signOut(): Promise<void> {
  await cache?.signedOut();
  await clearLocalData();
  sessionStorage.clear();
  await signOutHere();
}
