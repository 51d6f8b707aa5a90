/**
 * Reads and replaces files that must lie inside a directory after links are resolved (X1). What is opened is checked
 * again by its own descriptor's place, so that a link put in between is not followed; a replaced file is written
 * beside its old self and renamed over it.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open, realpath, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';

/** The file's place with its folders resolved; the last part itself is not followed. */
export async function placeInside(root: string, path: string): Promise<string> {
  const parts = path.split('/');
  if (path.includes('\0') || isAbsolute(path) || parts.some((part) => part === '..' || part === '.git')) {
    throw new CodedError('INVALID_MESSAGE', 'This path leads out of the project.');
  }
  const folder = await realpath(join(root, dirname(path)));
  const own = await realpath(root);
  if (folder !== own && !folder.startsWith(own.endsWith(sep) ? own : own + sep)) {
    throw new CodedError('INVALID_MESSAGE', 'This path leads out of the project.');
  }
  return join(folder, parts.at(-1) ?? '');
}

export async function readInside(root: string, path: string, maxBytes: number): Promise<Buffer> {
  const place = await placeInside(root, path);
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const facts = await file.stat();
    if (!facts.isFile()) throw new CodedError('INVALID_MESSAGE', 'This is no ordinary file.');
    if (facts.size > maxBytes) throw new CodedError('PAYLOAD_TOO_LARGE');
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Keeps the mode of what it replaces. */
export async function writeInside(
  root: string,
  path: string,
  content: Uint8Array,
  mode?: number,
): Promise<void> {
  const parent = dirname(path);
  if (parent !== '.') await makeFolders(root, parent);
  const place = await placeInside(root, path);
  const old = await lstat(place).catch(() => undefined);
  if (old && !old.isFile()) throw new CodedError('INVALID_MESSAGE', 'This is no ordinary file.');
  const fresh = `${place}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(fresh, content, { flag: 'wx', mode: old?.mode ?? mode ?? 0o644 });
    if (old) await chmod(fresh, old.mode & 0o7777);
    await rename(fresh, place);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

export async function removeInside(root: string, path: string): Promise<void> {
  await unlink(await placeInside(root, path));
}

/** One after the other, each seen to be inside before the next is made in it. */
async function makeFolders(root: string, path: string): Promise<void> {
  const parts = path.split('/');
  for (let count = 1; count <= parts.length; count++) {
    const place = await placeInside(root, parts.slice(0, count).join('/'));
    await mkdir(place).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}
