/**
 * Watches a project for changes with the system's file notifications (W2). Ignored folders are excluded where known.
 * If the system has too few watches for all folders, only folders that are open in a page are watched.
 */
import { type FSWatcher, watch as watchFolder } from 'node:fs';
import { errnoOf } from '@tugdeck/local/files/file-faults';
import type { Log } from '@tugdeck/local/log';
import { joinPath } from '@tugdeck/protocol/files/paths';
import { isHidden, NEVER_WATCHED, type TreeEvent, watchWorktree } from '../watching/worktree-watch.ts';

export interface WatchBatch {
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
}

export interface WatchOptions {
  readonly root: string;
  readonly log: Log;
  /** Called with changes; `undefined` means too many to list. */
  readonly onBatch: (batch: WatchBatch | undefined) => void;
}

export interface ProjectWatch {
  readonly extent: 'everything' | 'open folders';
  /** Watches the direct entries of a folder that the main watch does not cover. */
  open(folder: string): void;
  shut(folder: string): void;
  close(): Promise<void>;
}

/** More at once is a branch switch or an installation: reload instead. */
const MAX_BATCH = 2_000;
const MAX_OPEN = 500;

export async function watchProject({ root, log, onBatch }: WatchOptions): Promise<ProjectWatch> {
  const everywhere = watchWorktree({
    directory: root,
    log,
    onEvents: (events) => onBatch(events && events.length <= MAX_BATCH ? batchOf(events) : undefined),
  });
  const ignored = await everywhere.started;
  const opened = new Map<string, FSWatcher>();
  const isCovered = (folder: string) =>
    ignored !== undefined &&
    !ignored.some((name) => folder === name || folder.startsWith(`${name}/`)) &&
    !folder.split('/').some((part) => NEVER_WATCHED.includes(part));

  return {
    extent: ignored ? 'everything' : 'open folders',
    open(folder) {
      if (isCovered(folder) || opened.has(folder) || opened.size >= MAX_OPEN) return;
      try {
        const watcher = watchFolder(`${root}/${folder}`, { persistent: false }, (type, name) => {
          const path = name === null ? undefined : joinPath(folder, name);
          if (path !== undefined && isHidden(path)) return;
          // Created and deleted look the same here; listing the folder shows the result.
          if (path === undefined || type === 'rename')
            onBatch({ created: [path ?? `${folder}/`], changed: path ? [path] : [], deleted: [] });
          else onBatch({ created: [], changed: [path], deleted: [] });
        });
        watcher.on('error', () => watcher.close());
        opened.set(folder, watcher);
      } catch (error) {
        if (errnoOf(error) === undefined) throw error;
        log.warn('folder cannot be watched', { error });
      }
    },
    shut(folder) {
      opened.get(folder)?.close();
      opened.delete(folder);
    },
    async close() {
      for (const watcher of opened.values()) watcher.close();
      opened.clear();
      await everywhere.close();
    },
  };
}

function batchOf(events: readonly TreeEvent[]): WatchBatch {
  const batch = { created: [] as string[], changed: [] as string[], deleted: [] as string[] };
  for (const { type, path } of events) {
    if (type === 'create') batch.created.push(path);
    else (type === 'update' ? batch.changed : batch.deleted).push(path);
  }
  return batch;
}
