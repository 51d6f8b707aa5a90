/** Errors of the disk, told from bugs: they are said to people in words, and pass when there is room again. */
import { CodedError } from '@tugdeck/protocol/wire/errors';

const CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EACCES', 'EPERM', 'ENOENT', 'EMFILE']);

export function isDiskFault(error: unknown): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return false;
  return typeof error.code === 'string' && CODES.has(error.code);
}

export function unwritable(error: NodeJS.ErrnoException): CodedError {
  return new CodedError(
    'DATA_UNWRITABLE',
    `The session cannot be written to disk (${error.code}). What was complete is kept.`,
    'Make room in the data directory, then go on.',
  );
}
