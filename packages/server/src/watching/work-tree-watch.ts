/**
 * Hears what happens under a directory, by the system's own notices: a quiet directory costs nothing. All who listen
 * to one directory (its files, its status, its reviews) share one watch, for beginning one means walking every folder.
 * What git ignores as a whole is left out, and so is what lies in folders that only programs write to.
 */
import { relative, sep } from 'node:path';
import { subscribe } from '@parcel/watcher';
import type { Log } from '@tugdeck/local/log';
import { isGitOwn } from '@tugdeck/protocol/files/paths';
import { ignoredFolders } from '../files/git-list.ts';
import { leftOutFolders } from '../files/list-files.ts';
import { isOwnName } from '../files/own-names.ts';

export interface TreeEvent {
  readonly type: 'create' | 'update' | 'delete';
  /** Relative to the directory, with `/`. */
  readonly path: string;
}

/** `undefined`: something happened, and it is not known what. */
export type Heard = (events: readonly TreeEvent[] | undefined) => void;

export interface WorkTreeWatchOptions {
  readonly directory: string;
  readonly log: Log;
  readonly heard: Heard;
}

export interface WorkTreeWatch {
  /** Once changes are heard: which folders are left out; nothing where the system has not enough watches. */
  readonly started: Promise<readonly string[] | undefined>;
  close(): Promise<void>;
}

export const NEVER_WATCHED = ['.git', 'node_modules', '.hg', '.svn'];

interface Shared {
  readonly listeners: Set<Heard>;
  readonly started: Promise<readonly string[] | undefined>;
  readonly end: () => Promise<void>;
}

const shared = new Map<string, Shared>();

export function watchWorkTree({ directory, log, heard }: WorkTreeWatchOptions): WorkTreeWatch {
  const one = shared.get(directory) ?? begin(directory, log);
  shared.set(directory, one);
  // Wrapped, so that one who listens twice is two.
  const listener: Heard = (events) => heard(events);
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

function begin(directory: string, log: Log): Shared {
  const listeners = new Set<Heard>();
  const tell: Heard = (events) => {
    for (const listener of [...listeners]) listener(events);
  };
  const subscribed = subscribeTo(directory, log, tell);
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

async function subscribeTo(directory: string, log: Log, tell: Heard) {
  try {
    const ignored = await ignoredIn(directory);
    const subscription = await subscribe(
      directory,
      (error, events) => {
        if (error) {
          log.warn('watch', { error });
          tell(undefined);
          return;
        }
        const told = events
          .map(({ type, path }) => ({ type, path: pathIn(directory, path) }))
          .filter(({ path }) => !isLeftOut(path));
        if (told.length > 0) tell(told);
      },
      // Whole paths only: a pattern is tried on every file, which takes longer than all the rest together.
      { ignore: [...NEVER_WATCHED, ...ignored] },
    );
    return { ignored, subscription };
  } catch (error) {
    log.warn('not every folder can be watched', { error });
    return undefined;
  }
}

/** A name that could be read as a pattern is not left out: it would be one. */
const PATTERN = /[*?[\]{}()!+@\\]/;

async function ignoredIn(directory: string): Promise<readonly string[]> {
  const folders = (await ignoredFolders(directory)) ?? (await leftOutFolders(directory));
  return folders.filter((folder) => !PATTERN.test(folder));
}

function pathIn(directory: string, absolute: string): string {
  const path = relative(directory, absolute);
  return sep === '/' ? path : path.replaceAll(sep, '/');
}

/** Not to be shown to anybody: git's own, ours, or not in the directory at all. */
export function isHidden(path: string): boolean {
  return (
    path === '' ||
    path.startsWith('../') ||
    isGitOwn(path) ||
    isOwnName(path.slice(path.lastIndexOf('/') + 1))
  );
}

/** That such a folder came or went is told; what is in it is not. */
function isLeftOut(path: string): boolean {
  return (
    isHidden(path) ||
    path.split('/').some((part, at, all) => at < all.length - 1 && NEVER_WATCHED.includes(part))
  );
}
