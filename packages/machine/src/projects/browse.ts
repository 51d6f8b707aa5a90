/** Subfolders of a folder, for choosing a project (S4). A signed-in user can run a shell, so nothing is hidden. */
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BrowsedFolder } from '../port.ts';
import { resolveProjectPath } from './project-path.ts';

const MAX_FOLDERS = 2_000;

export async function browse(typed: string): Promise<BrowsedFolder> {
  const path = await resolveProjectPath(typed);
  const entries = await readdir(path, { withFileTypes: true });
  const folders: { name: string; isRepository: boolean }[] = [];
  for (const entry of entries) {
    if (folders.length >= MAX_FOLDERS) break;
    const isFolder =
      entry.isDirectory() || (entry.isSymbolicLink() && (await isDirectory(join(path, entry.name))));
    if (!isFolder) continue;
    folders.push({ name: entry.name, isRepository: await exists(join(path, entry.name, '.git')) });
  }
  folders.sort((a, b) => Number(isHidden(a)) - Number(isHidden(b)) || a.name.localeCompare(b.name));
  const parent = dirname(path);
  return { path, folders, ...(parent === path ? {} : { parent }) };
}

const isHidden = ({ name }: { readonly name: string }) => name.startsWith('.');

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false; // A dangling link.
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}
