/** What lies directly in a folder, folders first, as people expect names to be sorted. Nothing of git's own, or ours. */
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { type FileEntry, type Listing, MAX_LISTED } from '@tugdeck/protocol/files/messages';
import { isGitOwn, joinPath } from '@tugdeck/protocol/files/paths';
import { type Folder, openFile, openFolder } from './confined.ts';
import { coded } from './file-faults.ts';
import { isTemporaryName } from './temporary-names.ts';

const ORDER = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
/** Names that are not UTF-8 come as this sign: they can be shown, and not be asked for. */
const UNREADABLE = '\ufffd';

export function listFolder(root: string, path: string): Promise<Listing> {
  return coded(async () => {
    const folder = await openFolder(root, path);
    try {
      const all = await readdir(folder.self, { withFileTypes: true });
      const shown = all.filter(({ name }) => !isGitOwn(name) && !isTemporaryName(name));
      shown.sort(byKindAndName);
      const entries: FileEntry[] = [];
      for (const entry of shown.slice(0, MAX_LISTED)) entries.push(await entryOf(root, folder, path, entry));
      return { folder: path, entries, left: shown.length - entries.length };
    } finally {
      await folder.close();
    }
  });
}

async function entryOf(root: string, folder: Folder, path: string, entry: Dirent): Promise<FileEntry> {
  const { name } = entry;
  if (name.includes(UNREADABLE)) return { name, kind: 'other' };
  if (entry.isDirectory()) return { name, kind: 'folder' };
  if (entry.isFile()) return { name, kind: 'file' };
  if (!entry.isSymbolicLink()) return { name, kind: 'other' };
  return { name, kind: await kindOfLink(root, folder, joinPath(path, name), name), isLink: true };
}

/** By opening it the confined way: a link that leads out is shown as what it is, without a look behind it. */
async function kindOfLink(
  root: string,
  folder: Folder,
  path: string,
  name: string,
): Promise<FileEntry['kind']> {
  try {
    if ((await stat(folder.at(name))).isDirectory()) {
      await (await openFolder(root, path)).close();
      return 'folder';
    }
    await (await openFile(root, path)).handle.close();
    return 'file';
  } catch {
    // Leads out, nowhere, or to no plain file.
    return 'other';
  }
}

function byKindAndName(a: Dirent, b: Dirent): number {
  const isFolder = (entry: Dirent) => Number(entry.isDirectory());
  return isFolder(b) - isFolder(a) || ORDER.compare(a.name, b.name) || (a.name < b.name ? -1 : 1);
}
