/**
 * Lists the session files below a folder, with size and times, in time slices. Recently changed folders come first:
 * on a slow disk with thousands of files, the newest are wanted first.
 */
import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { TimeSlices } from './time-slices.ts';

export interface ListedFile {
  readonly path: string;
  readonly session: string;
  readonly inode: number;
  readonly size: number;
  readonly mtime: number;
}

/** Deeper folders are not searched. */
const MAX_DEPTH = 5;
/** Number of files that are reported before the listing is complete. */
const FIRST_BATCH = 200;

export async function listFolder(
  root: string,
  sessionOf: (path: string) => string | undefined,
  /** Called once with the first files if there are many. */
  onFirstBatch?: (files: readonly ListedFile[]) => void,
): Promise<ListedFile[]> {
  const slices = new TimeSlices();
  const files: ListedFile[] = [];
  const folders: [string, number][] = [[root, 0]];
  for (let next = folders.pop(); next; next = folders.pop()) {
    const [folder, depth] = next;
    const inside: { path: string; mtime: number }[] = [];
    for (const item of itemsOf(folder)) {
      const path = join(folder, item.name);
      if (item.isDirectory() && depth < MAX_DEPTH) inside.push({ path, mtime: statOf(path)?.mtimeMs ?? 0 });
      const session = item.isFile() ? sessionOf(path) : undefined;
      const file = session === undefined ? undefined : statFile(path, session);
      if (file) files.push(file);
      if (file && files.length === FIRST_BATCH) onFirstBatch?.(files);
      await slices.step();
    }
    inside.sort((a, b) => a.mtime - b.mtime);
    for (const { path } of inside) folders.push([path, depth + 1]);
  }
  return files;
}

/** Links are not followed: their targets are not the agent's files. */
function itemsOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

export function statFile(path: string, session: string): ListedFile | undefined {
  const stats = statOf(path);
  if (!stats?.isFile()) return undefined;
  return { path, session, inode: stats.ino, size: stats.size, mtime: stats.mtimeMs };
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  );
}
