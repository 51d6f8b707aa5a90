/**
 * Hears of every change in a project, by the system's own watching and never by looking again and again (W2). What git
 * ignores is left out as whole folders where that is known. A system that has not enough watches for all folders gets
 * one for each folder that somebody has open, and says so.
 */
import { type FSWatcher, watch as watchFolder } from 'node:fs';
import { relative, sep } from 'node:path';
import { subscribe } from '@parcel/watcher';
import type { Log } from '@tugdeck/local/log';
import { isGitOwn, joinPath } from '@tugdeck/protocol/files/paths';
import { errnoOf } from './file-faults.ts';
import { isOwnName } from './own-names.ts';

export interface WatchBatch {
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
}

export interface WatchOptions {
  readonly root: string;
  /** Folders, relative, that nobody wants to hear of unless they are opened. */
  readonly ignored: readonly string[];
  readonly log: Log;
  /** Something happened; `undefined`: too much to say what. */
  readonly heard: (batch: WatchBatch | undefined) => void;
}

export interface ProjectWatch {
  readonly extent: 'everything' | 'open folders';
  /** Hears of what lies directly in this folder, where the watch of everything does not. */
  open(folder: string): void;
  shut(folder: string): void;
  close(): Promise<void>;
}

export const NEVER_WATCHED = ['.git', 'node_modules', '.hg', '.svn'];
/** More at once is a change of branches or an installation: look again. */
const MAX_BATCH = 2_000;
const MAX_OPEN = 500;

export async function watchProject({ root, ignored, log, heard }: WatchOptions): Promise<ProjectWatch> {
  const toPath = (absolute: string) => {
    const path = relative(root, absolute);
    return sep === '/' ? path : path.replaceAll(sep, '/');
  };
  const isHidden = (path: string) =>
    path === '' ||
    path.startsWith('../') ||
    isGitOwn(path) ||
    isOwnName(path.slice(path.lastIndexOf('/') + 1));
  const isLeftOut = (path: string) =>
    isHidden(path) ||
    path.split('/').some((part, at, all) => at < all.length - 1 && NEVER_WATCHED.includes(part));
  const everywhere = await subscribe(
    root,
    (error, events) => {
      if (error) {
        log.warn('watch', { error });
        heard(undefined);
        return;
      }
      if (events.length > MAX_BATCH) {
        heard(undefined);
        return;
      }
      const batch = { created: [] as string[], changed: [] as string[], deleted: [] as string[] };
      for (const { type, path: absolute } of events) {
        const path = toPath(absolute);
        if (isLeftOut(path)) continue;
        if (type === 'create') batch.created.push(path);
        else (type === 'update' ? batch.changed : batch.deleted).push(path);
      }
      if (batch.created.length + batch.changed.length + batch.deleted.length > 0) heard(batch);
    },
    // Whole paths only: a pattern is tried on every file, which takes longer than all the rest together.
    { ignore: [...NEVER_WATCHED, ...ignored] },
  ).catch((error: unknown) => {
    log.warn('not every folder can be watched', { error });
    return undefined;
  });

  const opened = new Map<string, FSWatcher>();
  const isCovered = (folder: string) =>
    everywhere !== undefined &&
    !ignored.some((name) => folder === name || folder.startsWith(`${name}/`)) &&
    !folder.split('/').some((part) => NEVER_WATCHED.includes(part));

  return {
    extent: everywhere ? 'everything' : 'open folders',
    open(folder) {
      if (isCovered(folder) || opened.has(folder) || opened.size >= MAX_OPEN) return;
      try {
        const watcher = watchFolder(`${root}/${folder}`, { persistent: false }, (type, name) => {
          const path = name === null ? undefined : joinPath(folder, name);
          if (path !== undefined && isHidden(path)) return;
          // A name that came or went is not told apart here: whoever shows the folder looks.
          if (path === undefined || type === 'rename')
            heard({ created: [path ?? `${folder}/`], changed: path ? [path] : [], deleted: [] });
          else heard({ created: [], changed: [path], deleted: [] });
        });
        watcher.on('error', () => watcher.close());
        opened.set(folder, watcher);
      } catch (error) {
        if (errnoOf(error) === undefined) throw error;
        log.warn('a folder cannot be watched', { error });
      }
    },
    shut(folder) {
      opened.get(folder)?.close();
      opened.delete(folder);
    },
    async close() {
      for (const watcher of opened.values()) watcher.close();
      opened.clear();
      await everywhere?.unsubscribe();
    },
  };
}
