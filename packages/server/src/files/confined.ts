/**
 * The only way from a path of a page to a file on disk (X1): whatever links lie on the way, what is opened lies in the
 * project, and what is checked is what is used. On Linux everything goes through an open handle (`O_PATH`): the kernel
 * tells where the handle really is, and names are looked up below it, so that nobody can put a link in between. Other
 * systems have no such door in Node; there the real path is taken first and looked at again after opening.
 */
import { constants, existsSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { isGitOwn, nameOf, parentOf, pathFault } from '@tugdeck/protocol/files/paths';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { errnoOf } from './file-faults.ts';

/** Only a place in the file system: opening has no effect on a device and cannot wait for a pipe. */
const O_PATH = 0o10000000;
/** How often a file may be replaced while it is opened. */
const MAX_TRIES = 20;
const HANDLES = '/proc/self/fd';
const hasHandles = process.platform === 'linux' && existsSync(HANDLES);

/** A folder of the project that stays the same one, whatever happens to its path. */
export interface Folder {
  /** Relative to the project, links resolved. */
  readonly path: string;
  /** For the file system: something directly in it. */
  at(name: string): string;
  /** For the file system: the folder itself. */
  readonly self: string;
  /** Where it is, for whoever must find it again after a restart. */
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

/** For everything that changes something. */
export function checkChangeable(path: string): void {
  checkPath(path);
  if (path === '') throw new CodedError('PATH_INVALID', 'The project itself is not changed from here.');
  if (isGitOwn(path)) throw new CodedError('FILE_PROTECTED');
}

export async function openFolder(root: string, path: string): Promise<Folder> {
  checkPath(path);
  const top = await realpath(root);
  if (!hasHandles) {
    const real = await realpath(`${top}/${path}`);
    const relative = inside(top, real);
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
    const relative = inside(top, real);
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

/** A plain file to read from. Links are followed as long as they stay inside. */
export async function openFile(root: string, path: string): Promise<OpenedFile> {
  checkPath(path);
  const top = await realpath(root);
  if (!hasHandles) return openByRealPath(top, path);
  for (let tries = 0; ; tries++) {
    const opened = await openByHandle(top, path);
    // Replaced by another between the look-up and now: its path is not that of the file any more.
    if (opened.stats.nlink > 0) return opened;
    await opened.handle.close();
    if (tries === MAX_TRIES) throw new CodedError('FILE_NOT_FOUND');
  }
}

async function openByHandle(top: string, path: string): Promise<OpenedFile> {
  const place = await open(`${top}/${path}`, O_PATH);
  try {
    const self = `${HANDLES}/${place.fd}`;
    const relative = inside(top, await readlink(self));
    if (!(await place.stat()).isFile()) throw new CodedError('NOT_A_FILE');
    // Through the handle: the very thing that was looked at.
    const handle = await open(self, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    return { handle, stats: await statOrClose(handle), path: relative };
  } finally {
    await place.close();
  }
}

async function openByRealPath(top: string, path: string): Promise<OpenedFile> {
  const real = await realpath(`${top}/${path}`);
  const relative = inside(top, real);
  if (!(await lstat(real)).isFile()) throw new CodedError('NOT_A_FILE');
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  const handle = await open(real, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  const stats = await statOrClose(handle);
  // What was opened must be what lies at the path that was checked.
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

/** The thing of that name itself, a link included: to rename, delete, or make. Its folder must be there. */
export async function openTarget(root: string, path: string): Promise<Target> {
  checkPath(path);
  if (path === '') throw new CodedError('PATH_INVALID');
  return { folder: await openFolder(root, parentOf(path)), name: nameOf(path) };
}

/** The same for what is to be changed: neither git's own nor, through a link, becoming so. */
export async function openChangeable(root: string, path: string): Promise<Target> {
  checkChangeable(path);
  const target = await openTarget(root, path);
  if (!isGitOwn(target.folder.path)) return target;
  await target.folder.close();
  throw new CodedError('FILE_PROTECTED');
}

/** Where a text for this path goes: through links to the file they mean. */
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

function inside(top: string, real: string): string {
  if (real === top) return '';
  const start = top.endsWith(sep) ? top : top + sep;
  if (!real.startsWith(start)) throw new CodedError('PATH_OUTSIDE');
  const relative = real.slice(start.length);
  return sep === '/' ? relative : relative.replaceAll(sep, '/');
}
