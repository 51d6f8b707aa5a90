/**
 * Watches the agents' folders and reports changed files. A folder is listed when it appears and again once it is
 * watched, for changes in between. Missing folders are polled; if watching fails, the folder is listed periodically.
 */
import { existsSync } from 'node:fs';
import { type AsyncSubscription, subscribe } from '@parcel/watcher';
import type { Log } from '@tugdeck/local/log';

export interface WatchOptions {
  readonly roots: readonly string[];
  readonly changed: (paths: readonly string[]) => void;
  /** The folder appeared, or its changes are unknown: list it again. */
  readonly relist: (root: string) => void;
  readonly log: Log;
}

const CHECK_MS = 1_000;
const RELIST_MS = 5_000;

export function watchFolders({ roots, changed, relist, log }: WatchOptions): { stop(): Promise<void> } {
  const subscriptions = new Map<string, AsyncSubscription>();
  const waiting = new Set(roots);
  const unwatched = new Map<string, number>();
  let isStopped = false;

  async function watch(root: string): Promise<void> {
    relist(root);
    try {
      const subscription = await subscribe(root, (error, events) => {
        if (error) {
          log.warn('watching failed', { root, error });
          relist(root);
        } else changed(events.map(({ path }) => path));
      });
      if (isStopped) await subscription.unsubscribe();
      else subscriptions.set(root, subscription);
    } catch (error) {
      log.warn('cannot watch a folder, listing it periodically instead', { root, error });
      unwatched.set(root, Date.now());
    }
    relist(root);
  }

  function check(): void {
    for (const root of waiting) {
      if (!existsSync(root)) continue;
      waiting.delete(root);
      void watch(root);
    }
    for (const [root, at] of unwatched) {
      if (Date.now() - at < RELIST_MS) continue;
      unwatched.set(root, Date.now());
      relist(root);
    }
  }

  check();
  const timer = setInterval(check, CHECK_MS);
  timer.unref();
  return {
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await Promise.all([...subscriptions.values()].map((subscription) => subscription.unsubscribe()));
    },
  };
}
