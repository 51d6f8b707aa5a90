/**
 * The file operations that segment readers need, as an interface, so that tests can count reads. Knows nothing about
 * the contents.
 */
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';

export interface SegmentFiles {
  /** Names in a directory; empty if the directory does not exist. */
  list(directory: string): string[];
  /** Length in bytes, or `undefined` if the file does not exist. */
  size(file: string): number | undefined;
  /** Up to `length` bytes from `start`. */
  read(file: string, start: number, length: number): Buffer;
}

export const diskFiles: SegmentFiles = {
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
