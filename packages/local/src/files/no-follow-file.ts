/**
 * Reads, replaces or removes one file of the worktree for git and review without following links (X1), through an
 * open folder (`confined.ts`). Before replacing or removing, the current content is checked in the same step.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  unlinkSync,
} from 'node:fs';
import { lstat, open, unlink } from 'node:fs/promises';
import { parentOf } from '@tugdeck/protocol/files/paths';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { checkChangeable, openChangeable, openTarget, type Target, withTarget } from './confined.ts';
import { coded, errnoOf } from './file-faults.ts';
import { makeFolders } from './make-folders.ts';
import { temporaryName } from './temporary-names.ts';

/**
 * The bytes of a file, or the target of a link. `content` is absent for other kinds and for files that are too large.
 */
export interface FileContent {
  readonly kind: 'file' | 'link' | 'other';
  readonly content?: Buffer;
}

/** Checks the current content; `undefined` means that the file does not exist. */
export type ContentCheck = (there: FileContent | undefined) => boolean;

export interface FileLocation {
  readonly root: string;
  readonly path: string;
}

/** Returns undefined if the file does not exist. */
export async function readNoFollow(
  { root, path }: FileLocation,
  maxBytes: number,
): Promise<FileContent | undefined> {
  try {
    return await coded(() => withTarget(openTarget(root, path), async (target) => readNow(target, maxBytes)));
  } catch (error) {
    if (error instanceof CodedError && error.code === 'FILE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** Keeps the mode of the replaced file. Throws `REVIEW_CONFLICT` if the current content is not the expected one. */
export async function replaceNoFollow(
  { root, path }: FileLocation,
  content: Uint8Array,
  { mode, maxBytes, isExpected }: { mode?: number | undefined; maxBytes: number; isExpected: ContentCheck },
): Promise<void> {
  await coded(async () => {
    checkChangeable(path);
    await makeFolders(root, parentOf(path));
    await withTarget(openChangeable(root, path), async (target) => {
      const { folder, name } = target;
      const temporary = folder.at(temporaryName(name));
      const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW = 0 } = constants;
      const handle = await open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, mode ?? 0o644);
      try {
        await handle.writeFile(content);
        const old = await lstat(folder.at(name)).catch(() => undefined);
        // Synchronous from here: nothing can change between check and replacement.
        if (!isExpected(readNow(target, maxBytes))) throw new CodedError('REVIEW_CONFLICT');
        if (old?.isFile()) chmodSync(temporary, old.mode & 0o7777);
        renameSync(temporary, folder.at(name));
      } catch (error) {
        await unlink(temporary);
        throw error;
      } finally {
        await handle.close();
      }
    });
  });
}

export async function removeNoFollow(
  { root, path }: FileLocation,
  check?: { maxBytes: number; isExpected: ContentCheck },
): Promise<void> {
  await coded(() =>
    withTarget(openChangeable(root, path), async (target) => {
      if (check && !check.isExpected(readNow(target, check.maxBytes)))
        throw new CodedError('REVIEW_CONFLICT');
      unlinkSync(target.folder.at(target.name));
    }),
  );
}

/** Synchronous, so that callers can act on what was read. */
function readNow({ folder, name }: Target, maxBytes: number): FileContent | undefined {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  let file: number;
  try {
    file = openSync(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') return { kind: 'link', content: Buffer.from(readlinkSync(folder.at(name))) };
    if (code === 'ENXIO') return { kind: 'other' };
    throw error;
  }
  try {
    const facts = fstatSync(file);
    if (!facts.isFile()) return { kind: 'other' };
    return facts.size > maxBytes ? { kind: 'file' } : { kind: 'file', content: readFileSync(file) };
  } finally {
    closeSync(file);
  }
}
