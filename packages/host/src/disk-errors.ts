/** Disk errors, which are reported to the user, as opposed to bugs. */
import { CodedError } from '@tugdeck/protocol/wire/errors';

const CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EACCES', 'EPERM', 'ENOENT', 'EMFILE']);

export function isFileSystemError(error: unknown): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return false;
  return typeof error.code === 'string' && CODES.has(error.code);
}

/** The agent was stopped because its output could not be saved. `isReadable`: its own file has the missing part. */
export function agentStoppedError(
  error: NodeJS.ErrnoException,
  label: string,
  isReadable: boolean,
): CodedError {
  const rest = isReadable
    ? `The missing part is then recovered from ${label}'s session file.`
    : `${label} keeps no session file that Tugdeck can read, so the missing part can't be recovered.`;
  return new CodedError(
    'DATA_UNWRITABLE',
    `The session can't be written to disk (${error.code}). ${label} was stopped, and the end of this turn isn't saved.`,
    `Free up space for the data directory. ${rest}`,
  );
}

export function notWrittenError(error: NodeJS.ErrnoException): CodedError {
  return new CodedError(
    'DATA_UNWRITABLE',
    `The session can't be written to disk (${error.code}). Everything up to here is saved.`,
    'Free up space for the data directory, then continue.',
  );
}
