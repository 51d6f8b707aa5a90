/**
 * Lists a project's files as relative paths with `/`: from git in a repository (respecting its ignore rules),
 * otherwise by walking the folders. Does not follow links. Bounded.
 */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gitFiles } from './git-list.ts';

export const MAX_FILES = 100_000;
const MAX_DEPTH = 24;
const MAX_SEEN = 500_000;
const MAX_EXCLUDED = 1_000;
const EXCLUDED = new Set(['.git', 'node_modules', '.hg', '.svn', '.DS_Store']);
/** The same names as part of a path; tested on every file of a project. */
const EXCLUDED_PART = /(?:^|\/)(?:\.git|node_modules|\.hg|\.svn|\.DS_Store)(?:\/|$)/;

export async function listFiles(root: string): Promise<readonly string[]> {
  return (await gitFiles(root, (path) => !isExcluded(path), MAX_FILES)) ?? walk(root);
}

export function isExcluded(path: string): boolean {
  return EXCLUDED_PART.test(path);
}

async function walk(root: string): Promise<string[]> {
  const found: string[] = [];
  await eachFolder(root, (path, entry) => {
    if (!EXCLUDED.has(entry.name) && (entry.isFile() || entry.isSymbolicLink())) found.push(path);
    return found.length < MAX_FILES;
  });
  return found;
}

/** Folders that the walk skips, for excluding them from the watch. */
export async function excludedFolders(root: string): Promise<string[]> {
  const found: string[] = [];
  await eachFolder(root, (path, entry) => {
    if (EXCLUDED.has(entry.name) && entry.isDirectory()) found.push(path);
    return found.length < MAX_EXCLUDED;
  });
  return found;
}

/** Breadth first, until `visit` returns false. Does not follow links. */
async function eachFolder(root: string, visit: (path: string, entry: Dirent) => boolean): Promise<void> {
  let level = [''];
  let count = 0;
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      for (const entry of await entriesOf(join(root, folder))) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        count += 1;
        if (!visit(path, entry) || count > MAX_SEEN) return;
        if (entry.isDirectory() && !EXCLUDED.has(entry.name)) next.push(path);
      }
    }
    level = next;
  }
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    // Unreadable, or deleted since.
    return [];
  }
}
