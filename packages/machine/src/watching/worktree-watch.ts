/**
 * Watches a directory with the system's file notifications; a quiet directory costs nothing. Everyone who watches a
 * directory (files, status, reviews) shares one watch, because starting one walks all folders. Excludes ignored
 * folders and folders that only programs write to.
 */
import { relative, sep } from 'node:path';
import { subscribe } from '@parcel/watcher';
import { isTemporaryName } from '@tugdeck/local/files/temporary-names';
import type { Log } from '@tugdeck/local/log';
import { isGitOwn } from '@tugdeck/protocol/files/paths';
import { ignoredFolders } from '../files/git-list.ts';
import { excludedFolders } from '../files/list-files.ts';

export interface TreeEvent {
  readonly type: 'create' | 'update' | 'delete';
  /** Relative to the directory, with `/`. */
  readonly path: string;
}

/** `undefined`: something changed, but not known what. */
export type TreeListener = (events: readonly TreeEvent[] | undefined) => void;

export interface WorktreeWatchOptions {
  readonly directory: string;
  readonly log: Log;
  readonly onEvents: TreeListener;
}

export interface WorktreeWatch {
  /** Resolves once changes are reported, with the excluded folders; undefined if the system has too few watches. */
  readonly started: Promise<readonly string[] | undefined>;
  close(): Promise<void>;
}

export const NEVER_WATCHED = ['.git', 'node_modules', '.hg', '.svn'];

interface Shared {
  readonly listeners: Set<TreeListener>;
  readonly started: Promise<readonly string[] | undefined>;
  readonly end: () => Promise<void>;
}

const shared = new Map<string, Shared>();

export function watchWorktree({ directory, log, onEvents }: WorktreeWatchOptions): WorktreeWatch {
  const one = shared.get(directory) ?? startWatch(directory, log);
  shared.set(directory, one);
  // Wrapped, so that the same listener can be added twice.
  const listener: TreeListener = (events) => onEvents(events);
  one.listeners.add(listener);
  return {
    started: one.started,
    async close() {
      if (!one.listeners.delete(listener) || one.listeners.size > 0) return;
      if (shared.get(directory) === one) shared.delete(directory);
      await one.end();
    },
  };
}

function startWatch(directory: string, log: Log): Shared {
  const listeners = new Set<TreeListener>();
  const emit: TreeListener = (events) => {
    for (const listener of [...listeners]) listener(events);
  };
  const subscribed = subscribeTo(directory, log, emit);
  return {
    listeners,
    started: subscribed.then((one) => one?.ignored),
    end: async () => {
      await (await subscribed)?.subscription
        .unsubscribe()
        .catch((error: unknown) => log.warn('watch', { error }));
    },
  };
}

async function subscribeTo(directory: string, log: Log, emit: TreeListener) {
  try {
    const ignored = await ignoredIn(directory);
    const subscription = await subscribe(
      directory,
      (error, events) => {
        if (error) {
          log.warn('watch', { error });
          emit(undefined);
          return;
        }
        const shown = events
          .map(({ type, path }) => ({ type, path: pathIn(directory, path) }))
          .filter(({ path }) => !isExcluded(path));
        if (shown.length > 0) emit(shown);
      },
      // Plain names only: patterns would be tested on every file, which costs more than everything else.
      { ignore: [...NEVER_WATCHED, ...ignored] },
    );
    return { ignored, subscription };
  } catch (error) {
    log.warn('not all folders can be watched', { error });
    return undefined;
  }
}

/** Names with special characters are not excluded: they would be read as patterns. */
const PATTERN = /[*?[\]{}()!+@\\]/;

async function ignoredIn(directory: string): Promise<readonly string[]> {
  const folders = (await ignoredFolders(directory)) ?? (await excludedFolders(directory));
  return folders.filter((folder) => !PATTERN.test(folder));
}

function pathIn(directory: string, absolute: string): string {
  const path = relative(directory, absolute);
  return sep === '/' ? path : path.replaceAll(sep, '/');
}

/** Never shown: git's own files, our temporary files, and paths outside the directory. */
export function isHidden(path: string): boolean {
  return (
    path === '' ||
    path.startsWith('../') ||
    isGitOwn(path) ||
    isTemporaryName(path.slice(path.lastIndexOf('/') + 1))
  );
}

/** Reports that such a folder was created or deleted, but not changes inside it. */
function isExcluded(path: string): boolean {
  return (
    isHidden(path) ||
    path.split('/').some((part, at, all) => at < all.length - 1 && NEVER_WATCHED.includes(part))
  );
}
