/**
 * The few things a reader of segments needs of a file system, as a port, so that a test can count what is
 * read. Knows nothing of what is in the files.
 */
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';

export interface Files {
  /** Names in a directory; none when there is no such directory. */
  list(directory: string): string[];
  /** Length in bytes; `undefined` when there is no such file. */
  size(file: string): number | undefined;
  /** Up to `length` bytes from `start`. */
  read(file: string, start: number, length: number): Buffer;
}

export const diskFiles: Files = {
  list(directory) {
    try {
      return readdirSync(directory);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  },
  size(file) {
    return statSync(file, { throwIfNoEntry: false })?.size;
  },
  read(file, start, length) {
    const descriptor = openSync(file, 'r');
    try {
      const bytes = Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const count = readSync(descriptor, bytes, filled, length - filled, start + filled);
        if (count === 0) break;
        filled += count;
      }
      return bytes.subarray(0, filled);
    } finally {
      closeSync(descriptor);
    }
  },
};

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
