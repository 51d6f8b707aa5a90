/** Maps file system errors to error codes (S2), never by message text. */
import type { ErrorCode } from '@tugdeck/protocol/wire/error-codes';
import { CodedError } from '@tugdeck/protocol/wire/errors';

const CODES: Readonly<Record<string, ErrorCode>> = {
  ENOENT: 'FILE_NOT_FOUND',
  ENOTDIR: 'FILE_NOT_FOUND',
  // Too many links, or a link that was swapped in.
  ELOOP: 'PATH_OUTSIDE',
  EEXIST: 'FILE_EXISTS',
  ENOTEMPTY: 'FILE_EXISTS',
  EISDIR: 'NOT_A_FILE',
  // A socket, or a pipe without a writer.
  ENXIO: 'NOT_A_FILE',
  ENODEV: 'NOT_A_FILE',
  ENAMETOOLONG: 'PATH_INVALID',
  EILSEQ: 'PATH_INVALID',
  EINVAL: 'PATH_INVALID',
  ERR_INVALID_ARG_VALUE: 'PATH_INVALID',
  EFBIG: 'FILE_TOO_LARGE',
  EACCES: 'FILE_DENIED',
  EPERM: 'FILE_DENIED',
  EROFS: 'FILE_DENIED',
  ENOSPC: 'FILE_DENIED',
  EDQUOT: 'FILE_DENIED',
  EBUSY: 'FILE_DENIED',
  ETXTBSY: 'FILE_DENIED',
  EMFILE: 'TOO_MANY',
  ENFILE: 'TOO_MANY',
};

/** Returns the coded error; errors that are not from the file system are returned unchanged, as bugs. */
export function fileFault(error: unknown): unknown {
  if (error instanceof CodedError) return error;
  const code = CODES[errnoOf(error) ?? ''];
  return code === undefined ? error : new CodedError(code);
}

export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Runs `run` and converts file system errors to coded errors. */
export async function coded<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw fileFault(error);
  }
}
