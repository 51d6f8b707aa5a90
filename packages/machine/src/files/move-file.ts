/**
 * Creates and moves entries without overwriting. `rename` replaces silently, so files are hard-linked (`link` refuses
 * an existing name) and folders are renamed onto a new empty folder.
 */
import { constants } from 'node:fs';
import { link, lstat, mkdir, open, rename, rmdir, unlink } from 'node:fs/promises';
import { checkChangeable, openChangeable, withTarget } from '@tugdeck/local/files/confined';
import { coded, errnoOf } from '@tugdeck/local/files/file-faults';
import { makeFolders } from '@tugdeck/local/files/make-folders';
import { parentOf } from '@tugdeck/protocol/files/paths';
import { CodedError } from '@tugdeck/protocol/wire/errors';

export function createEntry(root: string, path: string, kind: 'file' | 'folder'): Promise<void> {
  return coded(async () => {
    checkChangeable(path);
    await makeFolders(root, parentOf(path));
    await withTarget(openChangeable(root, path), async ({ folder, name }) => {
      if (kind === 'folder') {
        await mkdir(folder.at(name));
        return;
      }
      const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW = 0 } = constants;
      await (await open(folder.at(name), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o666)).close();
    });
  });
}

export function renameEntry(root: string, from: string, to: string): Promise<void> {
  return coded(async () => {
    checkChangeable(from);
    checkChangeable(to);
    if (`${to}/`.startsWith(`${from}/`)) {
      throw new CodedError('PATH_INVALID', "A folder can't be moved into itself.");
    }
    await makeFolders(root, parentOf(to));
    await withTarget(openChangeable(root, from), (source) =>
      withTarget(openChangeable(root, to), (target) =>
        moveWithoutReplacing(source.folder.at(source.name), target.folder.at(target.name)),
      ),
    );
  });
}

/** Throws EEXIST or ENOTEMPTY if the name is taken. Both paths go through open folders. */
export async function moveWithoutReplacing(from: string, to: string): Promise<void> {
  if ((await lstat(from)).isDirectory()) {
    await mkdir(to);
    try {
      await rename(from, to);
    } catch (error) {
      await rmdir(to);
      throw error;
    }
    return;
  }
  try {
    await link(from, to);
  } catch (error) {
    if (!lacksHardLinks(error)) throw error;
    // No hard links on this file system: check, then rename.
    if (await exists(to)) throw new CodedError('FILE_EXISTS');
    await rename(from, to);
    return;
  }
  await unlink(from);
}

export function lacksHardLinks(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errnoOf(error) ?? '');
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}
