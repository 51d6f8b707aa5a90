/**
 * Reads a small untrusted file (a repository's configuration, a project's agent settings): never blocks on a pipe,
 * never reads a device, never reads more than `maxBytes`. With `within`, the file is inside that directory even if
 * links are swapped during the call, because the file that is checked is the file that is read.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { sep } from 'node:path';

const HANDLES = '/proc/self/fd';
const hasHandles = process.platform === 'linux' && existsSync(HANDLES);
/** Opens a path without its contents: no effect on devices, no blocking on pipes. */
const O_PATH = 0o10000000;
const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;

export interface BoundedOptions {
  readonly maxBytes: number;
  /** The file must be inside this directory. */
  readonly within?: string | undefined;
}

/** Returns `undefined` unless this is a regular file within the limits; throws if it may not be read. */
export function readBounded(file: string, { maxBytes, within }: BoundedOptions): Buffer | undefined {
  const place = openIfThere(file, hasHandles ? O_PATH : O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (place === undefined) return undefined;
  try {
    const facts = fstatSync(place);
    if (!facts.isFile() || facts.size > maxBytes) return undefined;
    if (within !== undefined && !liesIn(realpathSync(within), placeOf(place, file))) return undefined;
    if (!hasHandles) return readAll(place, maxBytes);
    // Through the handle, so that it is the file that was checked.
    const handle = openSync(`${HANDLES}/${place}`, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    try {
      return readAll(handle, maxBytes);
    } finally {
      closeSync(handle);
    }
  } finally {
    closeSync(place);
  }
}

export function readBoundedText(file: string, options: BoundedOptions): string | undefined {
  return readBounded(file, options)?.toString('utf8');
}

function openIfThere(file: string, flags: number): number | undefined {
  try {
    return openSync(file, flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Sockets, devices without a driver and circular links are not files either.
    if (['ENOENT', 'ENOTDIR', 'ENXIO', 'ENODEV', 'ELOOP'].includes(code ?? '')) return undefined;
    throw error;
  }
}

function placeOf(handle: number, file: string): string {
  return hasHandles ? readlinkSync(`${HANDLES}/${handle}`) : realpathSync(file);
}

function liesIn(directory: string, real: string): boolean {
  return real.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

/** Returns `undefined` if the file has grown beyond the limit. */
function readAll(handle: number, maxBytes: number): Buffer | undefined {
  const bytes = Buffer.alloc(Math.min(maxBytes, fstatSync(handle).size) + 1);
  let length = 0;
  while (length < bytes.length) {
    const read = readSync(handle, bytes, length, bytes.length - length, length);
    if (read === 0) return bytes.subarray(0, length);
    length += read;
  }
  return undefined;
}
