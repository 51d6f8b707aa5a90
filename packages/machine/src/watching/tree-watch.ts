/**
 * Small watches outside of worktrees: git's directory, or one name. Uses system notifications, so a quiet directory
 * costs nothing. If the system cannot watch, `started` resolves to false.
 */
import { watch as watchFolder } from 'node:fs';
import { basename } from 'node:path';
import watcher from '@parcel/watcher';
import type { Log } from '@tugdeck/local/log';

export interface TreeWatch {
  /** Whether the watch is active. */
  readonly started: Promise<boolean>;
  close(): void;
}

export interface TreeWatchOptions {
  readonly directory: string;
  /** Absolute paths. */
  readonly ignore: readonly string[];
  readonly log: Log;
  readonly changed: (paths: readonly string[]) => void;
}

export function watchTree({ directory, ignore, log, changed }: TreeWatchOptions): TreeWatch {
  let isClosed = false;
  const subscribed = watcher
    .subscribe(
      directory,
      (error, events) => {
        if (isClosed) return;
        if (error) log.warn('the watch reported a fault', { error });
        else if (events.length > 0) changed(events.map(({ path }) => path));
      },
      { ignore: [...ignore] },
    )
    .catch((error: unknown) => {
      log.warn('the directory cannot be watched', { error });
      return undefined;
    });
  return {
    started: subscribed.then((one) => one !== undefined),
    close() {
      isClosed = true;
      void subscribed.then((one) => one?.unsubscribe()).catch((error) => log.warn('watch', { error }));
    },
  };
}

/** Watches for changes of one name directly in a directory. */
export function watchName(directory: string, name: string, seen: () => void): TreeWatch {
  try {
    const one = watchFolder(directory, { persistent: false }, (_event, changed) => {
      if (changed === null || basename(changed.toString()) === name) seen();
    });
    // Deleting the directory ends its watch.
    one.on('error', () => one.close());
    return { started: Promise.resolve(true), close: () => one.close() };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOSPC' && code !== 'EMFILE') throw error;
    return { started: Promise.resolve(false), close: () => undefined };
  }
}
