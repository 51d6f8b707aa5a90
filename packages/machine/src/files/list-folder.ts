/** Lists a folder's direct entries, folders first, in natural order. Hides git's own and our temporary files. */
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { type Folder, openFile, openFolder } from '@tugdeck/local/files/confined';
import { coded } from '@tugdeck/local/files/file-faults';
import { isTemporaryName } from '@tugdeck/local/files/temporary-names';
import { type FileEntry, type Listing, MAX_LISTED } from '@tugdeck/protocol/files/messages';
import { isGitOwn, joinPath } from '@tugdeck/protocol/files/paths';

const ORDER = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
/** Names that are not UTF-8 contain this character. They are listed but cannot be opened. */
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

/** Opens the link confined to the project. A link that points outside is shown as `other`. */
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
    // Points outside, nowhere, or not to a regular file.
    return 'other';
  }
}

function byKindAndName(a: Dirent, b: Dirent): number {
  const isFolder = (entry: Dirent) => Number(entry.isDirectory());
  return isFolder(b) - isFolder(a) || ORDER.compare(a.name, b.name) || (a.name < b.name ? -1 : 1);
}
