/**
 * The files of a project as relative paths with `/`: what git would list where it is a repository (so its ignore
 * rules hold), else a walk that leaves out what nobody means. Links are not followed. Bounded.
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
/** The same as a part of a path: asked of every file of a project. */
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

/** Folders that the walk does not enter: what a watch need not look at. */
export async function excludedFolders(root: string): Promise<string[]> {
  const found: string[] = [];
  await eachFolder(root, (path, entry) => {
    if (EXCLUDED.has(entry.name) && entry.isDirectory()) found.push(path);
    return found.length < MAX_EXCLUDED;
  });
  return found;
}

/** Level by level, until told to stop. Links are not followed. */
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
    // Not readable, or gone since: it has nothing to offer.
    return [];
  }
}
