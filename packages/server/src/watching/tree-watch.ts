/**
 * Small watches of places that are not a project's work tree: git's own directory, one name. By the system's own notices:
 * a quiet directory costs nothing. Where the system gives no watch, it says so (`started`) and stays silent.
 */
import { watch as watchFolder } from 'node:fs';
import { basename } from 'node:path';
import watcher from '@parcel/watcher';
import type { Log } from '@tugdeck/local/log';

export interface TreeWatch {
  /** Whether the system watches. */
  readonly started: Promise<boolean>;
  close(): void;
}

export interface TreeWatchOptions {
  readonly directory: string;
  /** Whole paths. */
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

/** Only for the appearance of one name directly in a directory. */
export function watchName(directory: string, name: string, seen: () => void): TreeWatch {
  try {
    const one = watchFolder(directory, { persistent: false }, (_event, changed) => {
      if (changed === null || basename(changed.toString()) === name) seen();
    });
    // A directory that goes away ends its watch.
    one.on('error', () => one.close());
    return { started: Promise.resolve(true), close: () => one.close() };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOSPC' && code !== 'EMFILE') throw error;
    return { started: Promise.resolve(false), close: () => undefined };
  }
}
