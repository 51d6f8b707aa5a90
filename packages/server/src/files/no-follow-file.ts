/**
 * One file of a work tree as git and the review need it: read, replaced or removed whole, the thing of that name itself,
 * never what a link leads to. By an opened folder (`confined`), so that no link put in between is followed (X1). What is
 * replaced or removed must be what the caller thinks it is, seen in the same moment.
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
import { makeFolders } from './move-file.ts';
import { temporaryName } from './temporary-names.ts';

/** A file's bytes, a link's words; nothing in `content` for what is neither, or too large. */
export interface FileContent {
  readonly kind: 'file' | 'link' | 'other';
  readonly content?: Buffer;
}

/** Whether what lies there is what is thought to; `undefined`: nothing does. */
export type Expected = (there: FileContent | undefined) => boolean;

export interface FileLocation {
  readonly root: string;
  readonly path: string;
}

/** Nothing where there is no such thing. */
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

/** Keeps the mode of what it replaces; `REVIEW_CONFLICT` where that is not what was expected. */
export async function replaceNoFollow(
  { root, path }: FileLocation,
  content: Uint8Array,
  { mode, maxBytes, isExpected }: { mode?: number | undefined; maxBytes: number; isExpected: Expected },
): Promise<void> {
  await coded(async () => {
    checkChangeable(path);
    await makeFolders(root, parentOf(path));
    await withTarget(openChangeable(root, path), async (target) => {
      const { folder, name } = target;
      const fresh = folder.at(temporaryName(name));
      const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW = 0 } = constants;
      const handle = await open(fresh, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, mode ?? 0o644);
      try {
        await handle.writeFile(content);
        const old = await lstat(folder.at(name)).catch(() => undefined);
        // Without a pause: what was looked at is what is replaced.
        if (!isExpected(readNow(target, maxBytes))) throw new CodedError('REVIEW_CONFLICT');
        if (old?.isFile()) chmodSync(fresh, old.mode & 0o7777);
        renameSync(fresh, folder.at(name));
      } catch (error) {
        await unlink(fresh);
        throw error;
      } finally {
        await handle.close();
      }
    });
  });
}

export async function removeNoFollow(
  { root, path }: FileLocation,
  check?: { maxBytes: number; isExpected: Expected },
): Promise<void> {
  await coded(() =>
    withTarget(openChangeable(root, path), async (target) => {
      if (check && !check.isExpected(readNow(target, check.maxBytes)))
        throw new CodedError('REVIEW_CONFLICT');
      unlinkSync(target.folder.at(target.name));
    }),
  );
}

/** In one go, so that whoever acts on it acts on what was seen. */
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
