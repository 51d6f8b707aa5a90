/**
 * The only way from a page's path to a file on disk (X1): every opened file is inside the project, whatever links are
 * on the way, and the checked file is the one used. On Linux everything goes through an open handle (`O_PATH`), whose
 * real location the kernel reports and below which names are resolved, so no link can be swapped in. Other systems
 * lack this in Node: there the real path is resolved first and checked again after opening.
 */
import { constants, existsSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { isGitOwn, nameOf, parentOf, pathFault } from '@tugdeck/protocol/files/paths';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { errnoOf } from './file-faults.ts';

/** Opens only a location: no side effects on devices, no blocking on pipes. */
const O_PATH = 0o10000000;
/** How often a file may be replaced while we open it. */
const MAX_TRIES = 20;
const HANDLES = '/proc/self/fd';
const hasHandles = process.platform === 'linux' && existsSync(HANDLES);

/** An open folder of the project; stays the same even if its path changes. */
export interface Folder {
  /** Relative to the project, links resolved. */
  readonly path: string;
  /** File system path of an entry in this folder. */
  at(name: string): string;
  /** File system path of the folder itself. */
  readonly self: string;
  /** Real path, for finding it again after a restart. */
  readonly real: string;
  close(): Promise<void>;
}

export interface Target {
  readonly folder: Folder;
  readonly name: string;
}

export interface OpenedFile {
  readonly handle: FileHandle;
  readonly stats: Stats;
  /** Relative to the project, links resolved. */
  readonly path: string;
}

export function checkPath(path: string): void {
  const fault = pathFault(path) ?? (sep === '\\' && path.includes(sep) ? 'unreadable' : undefined);
  if (fault) throw new CodedError(fault === 'outside' ? 'PATH_OUTSIDE' : 'PATH_INVALID');
}

/** For every operation that changes something. */
export function checkChangeable(path: string): void {
  checkPath(path);
  if (path === '')
    throw new CodedError('PATH_INVALID', "The project folder itself can't be changed from here.");
  if (isGitOwn(path)) throw new CodedError('FILE_PROTECTED');
}

export async function openFolder(root: string, path: string): Promise<Folder> {
  checkPath(path);
  const top = await realpath(root);
  if (!hasHandles) {
    const real = await realpath(`${top}/${path}`);
    const relative = relativeInside(top, real);
    if (!(await stat(real)).isDirectory()) throw new CodedError('NOT_A_FOLDER');
    return {
      path: relative,
      real,
      self: real,
      at: (name) => `${real}${sep}${name}`,
      close: async () => undefined,
    };
  }
  const handle = await openAsFolder(`${top}/${path}`);
  try {
    const self = `${HANDLES}/${handle.fd}`;
    const real = await readlink(self);
    if ((await handle.stat()).nlink === 0) throw new CodedError('FILE_NOT_FOUND');
    const relative = relativeInside(top, real);
    return { path: relative, real, self, at: (name) => `${self}/${name}`, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openAsFolder(path: string): Promise<FileHandle> {
  try {
    return await open(path, O_PATH | constants.O_DIRECTORY);
  } catch (error) {
    if (errnoOf(error) !== 'ENOTDIR') throw error;
    throw new CodedError('NOT_A_FOLDER');
  }
}

/** Opens a regular file for reading. Follows links that stay inside the project. */
export async function openFile(root: string, path: string): Promise<OpenedFile> {
  checkPath(path);
  const top = await realpath(root);
  if (!hasHandles) return openByRealPath(top, path);
  for (let tries = 0; ; tries++) {
    const opened = await openByHandle(top, path);
    // `nlink` is 0 if the file was replaced between lookup and open; then its path is no longer known.
    if (opened.stats.nlink > 0) return opened;
    await opened.handle.close();
    if (tries === MAX_TRIES) throw new CodedError('FILE_NOT_FOUND');
  }
}

async function openByHandle(top: string, path: string): Promise<OpenedFile> {
  const pathHandle = await open(`${top}/${path}`, O_PATH);
  try {
    const self = `${HANDLES}/${pathHandle.fd}`;
    const relative = relativeInside(top, await readlink(self));
    if (!(await pathHandle.stat()).isFile()) throw new CodedError('NOT_A_FILE');
    // Reopen through the handle, so that it is the file that was checked.
    const handle = await open(self, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    return { handle, stats: await statOrClose(handle), path: relative };
  } finally {
    await pathHandle.close();
  }
}

async function openByRealPath(top: string, path: string): Promise<OpenedFile> {
  const real = await realpath(`${top}/${path}`);
  const relative = relativeInside(top, real);
  if (!(await lstat(real)).isFile()) throw new CodedError('NOT_A_FILE');
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  const handle = await open(real, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  const stats = await statOrClose(handle);
  // The opened file must be the one at the checked path.
  const now = await realpath(real).then(lstat, () => undefined);
  if (now?.ino === stats.ino && now.dev === stats.dev && stats.isFile())
    return { handle, stats, path: relative };
  await handle.close();
  throw new CodedError('PATH_OUTSIDE');
}

async function statOrClose(handle: FileHandle): Promise<Stats> {
  try {
    return await handle.stat();
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The entry itself, even if it is a link: for renaming, deleting or creating. Its folder must exist. */
export async function openTarget(root: string, path: string): Promise<Target> {
  checkPath(path);
  if (path === '') throw new CodedError('PATH_INVALID');
  return { folder: await openFolder(root, parentOf(path)), name: nameOf(path) };
}

/** Like `openTarget`, but rejects git's own files, also when reached through a link. */
export async function openChangeable(root: string, path: string): Promise<Target> {
  checkChangeable(path);
  const target = await openTarget(root, path);
  if (!isGitOwn(target.folder.path)) return target;
  await target.folder.close();
  throw new CodedError('FILE_PROTECTED');
}

/** The target of a save: follows links to the file they point to. */
export async function openForWriting(root: string, path: string): Promise<Target> {
  checkChangeable(path);
  let real: string;
  try {
    const opened = await openFile(root, path);
    await opened.handle.close();
    real = opened.path;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    real = path;
  }
  return openChangeable(root, real);
}

export async function withTarget<T>(
  target: Promise<Target>,
  use: (target: Target) => Promise<T>,
): Promise<T> {
  const opened = await target;
  try {
    return await use(opened);
  } finally {
    await opened.folder.close();
  }
}

function relativeInside(top: string, real: string): string {
  if (real === top) return '';
  const start = top.endsWith(sep) ? top : top + sep;
  if (!real.startsWith(start)) throw new CodedError('PATH_OUTSIDE');
  const relative = real.slice(start.length);
  return sep === '/' ? relative : relative.replaceAll(sep, '/');
}
