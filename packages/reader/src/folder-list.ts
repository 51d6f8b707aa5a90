/**
 * Every session file below a folder, with its size and times, a slice at a time. Reads names only. Folders that changed
 * last come first: where there are thousands of files on a slow disk, somebody waits for the newest.
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

/** Deeper ones are not looked into: nobody keeps sessions there. */
const MAX_DEPTH = 5;
/** So many are worth telling of before the rest is known. */
const FIRST_BATCH = 200;

export async function listFolder(
  root: string,
  sessionOf: (path: string) => string | undefined,
  /** Told once of the first ones, where there are many more. */
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

/** Links are not followed: what lies elsewhere is not the agent's. */
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
