/** Every session file below a folder, with its size and times, a slice at a time. Reads names only. */
import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { Slices } from './slices.ts';

export interface ListedFile {
  readonly path: string;
  readonly session: string;
  readonly inode: number;
  readonly size: number;
  readonly mtime: number;
}

/** Deeper ones are not looked into: nobody keeps sessions there. */
const DEEPEST = 5;

export async function listFolder(
  root: string,
  sessionOf: (path: string) => string | undefined,
): Promise<ListedFile[]> {
  const slices = new Slices();
  const files: ListedFile[] = [];
  const folders: [string, number][] = [[root, 0]];
  for (let next = folders.pop(); next; next = folders.pop()) {
    const [folder, depth] = next;
    for (const item of itemsOf(folder)) {
      const path = join(folder, item.name);
      if (item.isDirectory() && depth < DEEPEST) folders.push([path, depth + 1]);
      const session = item.isFile() ? sessionOf(path) : undefined;
      const file = session === undefined ? undefined : statFile(path, session);
      if (file) files.push(file);
      await slices.step();
    }
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
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
  if (!stats.isFile()) return undefined;
  return { path, session, inode: stats.ino, size: stats.size, mtime: stats.mtimeMs };
}

function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  );
}
