/** Inspects files of the project by handle, at exactly their path: no link on the way is followed. */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  type Stats,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { checkChangeable, type Folder, openFolder } from '@tugdeck/local/files/confined';
import { errnoOf } from '@tugdeck/local/files/file-faults';
import { nameOf, parentOf } from '@tugdeck/protocol/files/paths';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { blobId } from './blobs.ts';
import { foldersOf } from './plan.ts';
import { EXECUTABLE, FILE, LINK, type Version } from './versions.ts';

/** A recorded file is at most 4 MB; one that is much larger is not the recorded one. */
const MAX_BYTES = 64 * 1024 * 1024;

export interface Seen {
  readonly version: Version;
  readonly facts: Stats;
}

/** The version of a path, without following a link. `other`: a folder, device, pipe or socket, or far too large. */
export function inspect(at: string): Seen | 'other' | undefined {
  const facts = statOf(at);
  if (!facts) return undefined;
  if (facts.isSymbolicLink()) {
    return { facts, version: { mode: LINK, blob: blobId(readlinkSync(at, { encoding: 'buffer' })) } };
  }
  if (!facts.isFile() || facts.size > MAX_BYTES) return 'other';
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const file = openSync(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const opened = fstatSync(file);
    if (!opened.isFile() || opened.size > MAX_BYTES) return 'other';
    const mode = (opened.mode & 0o100) === 0 ? FILE : EXECUTABLE;
    return { facts: opened, version: { mode, blob: blobId(readFileSync(file)) } };
  } finally {
    closeSync(file);
  }
}

export function isFolder(at: string): boolean {
  return lstatSync(at).isDirectory();
}

/** The folder at exactly this path, with no link on the way. */
export async function openExact(root: string, path: string): Promise<Folder | 'missing' | 'elsewhere'> {
  if (path !== '') checkChangeable(path);
  let folder: Folder;
  try {
    folder = await openFolder(root, path);
  } catch (error) {
    // A file in its place: nothing is below it.
    if (['ENOENT', 'NOT_A_FOLDER'].includes(errnoOf(error) ?? '')) return 'missing';
    if (isMoved(error)) return 'elsewhere';
    throw error;
  }
  if (folder.path === path) return folder;
  await folder.close();
  return 'elsewhere';
}

const UNREADABLE = new Set(['EACCES', 'EPERM', 'EIO']);

export function ifReadable<T>(read: () => T): T | 'unreadable' {
  try {
    return read();
  } catch (error) {
    if (!UNREADABLE.has(errnoOf(error) ?? '')) throw error;
    return 'unreadable';
  }
}

/** Like `openExact`; a folder that can not be read is `elsewhere`. */
export async function openReadable(root: string, path: string): ReturnType<typeof openExact> {
  try {
    return await openExact(root, path);
  } catch (error) {
    if (!UNREADABLE.has(errnoOf(error) ?? '')) throw error;
    return 'elsewhere';
  }
}

export async function makeExact(root: string, path: string): Promise<void> {
  for (const one of path === '' ? [] : [...foldersOf(path), path]) {
    const parent = await openExact(root, parentOf(one));
    if (typeof parent !== 'object') return;
    try {
      await mkdir(parent.at(nameOf(one)));
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    } finally {
      await parent.close();
    }
  }
}

/** A folder can be moved while it is open; then its path is another one. */
export function checkUnmoved({ self, real }: Folder): void {
  if (self !== real && readlinkSync(self) !== real) throw new CodedError('PATH_OUTSIDE');
}

export function isMoved(error: unknown): boolean {
  const codes: readonly string[] = ['PATH_OUTSIDE', 'NOT_A_FOLDER', 'FILE_NOT_FOUND', 'ENOTDIR', 'ELOOP'];
  return codes.includes(errnoOf(error) ?? '');
}

export function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** When it was created; where the file system does not know, when it was changed. */
export function bornAt({ birthtimeMs, mtimeMs }: Pick<Stats, 'birthtimeMs' | 'mtimeMs'>): number {
  return birthtimeMs > 0 ? birthtimeMs : mtimeMs;
}

export function byParent<T>(items: readonly T[], pathOf: (item: T) => string): Map<string, T[]> {
  const folders = new Map<string, T[]>();
  for (const item of items) {
    const parent = parentOf(pathOf(item));
    const known = folders.get(parent);
    if (known) known.push(item);
    else folders.set(parent, [item]);
  }
  return folders;
}
