/**
 * The files of a project as relative paths with `/`: what git would list where it is a repository (so its ignore
 * rules hold), else a walk that leaves out what nobody means. Links are not followed. Bounded.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gitFiles } from './git-list.ts';

export const MAX_FILES = 100_000;
const MAX_DEPTH = 24;
const LEFT_OUT = new Set(['.git', 'node_modules', '.hg', '.svn', '.DS_Store']);

export async function listFiles(root: string): Promise<readonly string[]> {
  const listed = await gitFiles(root);
  if (!listed) return walk(root);
  return listed.filter((path) => !isLeftOut(path)).slice(0, MAX_FILES);
}

export function isLeftOut(path: string): boolean {
  return path.split('/').some((part) => LEFT_OUT.has(part));
}

async function walk(root: string): Promise<string[]> {
  const found: string[] = [];
  let level = [''];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      if (found.length + next.length >= MAX_FILES) return found;
      for (const entry of await entriesOf(join(root, folder))) {
        if (LEFT_OUT.has(entry.name)) continue;
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory()) next.push(path);
        else if (entry.isFile() || entry.isSymbolicLink()) found.push(path);
      }
    }
    level = next;
  }
  return found.slice(0, MAX_FILES);
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    // Not readable, or gone since: it has nothing to offer.
    return [];
  }
}
