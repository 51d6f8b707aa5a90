/**
 * The error catalogue (S2): the text of each code. `docs/errors.md` is tested against it. Not part of the page.
 * Refusals of commands are a separate set in conversation/decide.
 */
import { ADVICE } from './error-advice.ts';
import type { ErrorCode } from './error-codes.ts';

export const ERRORS: Readonly<Record<ErrorCode, { readonly retryable: boolean; readonly text: string }>> = {
  INVALID_MESSAGE: { retryable: false, text: 'The message does not have the form that is expected here.' },
  PROJECT_PATH_INVALID: { retryable: false, text: 'This is not a directory that can be read.' },
  PROJECT_DUPLICATE: { retryable: false, text: 'This directory is a project already.' },
  PROJECT_NOT_FOUND: { retryable: false, text: 'There is no such project.' },
  PROJECT_UNTRUSTED: {
    retryable: false,
    text: 'This project is not trusted, and the agent would use its configuration.',
  },
  SESSION_NOT_FOUND: { retryable: false, text: 'There is no such session.' },
  SESSION_EMPTY: { retryable: false, text: 'There is nothing yet that a copy could begin with.' },
  SESSION_TAKEN: { retryable: false, text: "This session of the agent's own is in the list already." },
  CHANNEL_NOT_OPEN: { retryable: false, text: 'No session is open on this channel.' },
  AGENT_UNAVAILABLE: { retryable: true, text: 'The agent could not be started.' },
  AGENT_PROTOCOL_ERROR: { retryable: false, text: 'The agent, or a recording, speaks another protocol.' },
  HOST_UNAVAILABLE: { retryable: true, text: 'The session host could not be started or reached.' },
  HOST_VERSION: { retryable: false, text: 'The session host speaks a version that this program does not.' },
  TERMINAL_NOT_FOUND: { retryable: false, text: 'There is no such terminal any more.' },
  TERMINAL_UNAVAILABLE: { retryable: true, text: 'A terminal could not be started or reached.' },
  UNAUTHORIZED: { retryable: false, text: 'Sign in with the address that tugdeck prints.' },
  FORBIDDEN_ORIGIN: { retryable: false, text: 'Requests are taken from the own page only.' },
  TOKEN_INVALID: { retryable: false, text: 'This sign-in address was used already or is too old.' },
  PASSWORD_WRONG: { retryable: false, text: 'This is not the password.' },
  EXPOSURE_REFUSED: {
    retryable: false,
    text: 'Others could reach this address, and what protects it is missing.',
  },
  PAYLOAD_TOO_LARGE: { retryable: false, text: 'The message is larger than what is taken here.' },
  CONFIGURATION_CHANGED: {
    retryable: true,
    text: 'The configuration was changed meanwhile; nothing was written.',
  },
  NOT_FOUND: { retryable: false, text: 'There is nothing at this address.' },
  CONFIRMATION_NEEDED: {
    retryable: false,
    text: 'This lets the agent do everything without asking. Confirm it.',
  },
  TOO_MANY: { retryable: true, text: 'A limit on how many of these may be open was reached.' },
  DATA_NEWER: { retryable: false, text: 'The data was written by a newer version and is left untouched.' },
  DATA_UNREADABLE: { retryable: false, text: 'A file in the data directory could not be read.' },
  DATA_UNWRITABLE: { retryable: true, text: 'The data directory cannot be written to. Is the disk full?' },
  MACHINE_CHANGED: { retryable: false, text: 'This data directory belongs to another machine.' },
  DATA_UNSAFE: {
    retryable: false,
    text: 'Another user owns or can change a file, directory or socket that tugdeck relies on.',
  },
  SESSION_LOCKED: { retryable: true, text: 'Another process writes to this session.' },
  READER_UNAVAILABLE: { retryable: true, text: 'The reader of session files does not run.' },
  GIT_MISSING: { retryable: false, text: 'The program git was not found on this machine.' },
  GIT_FAILED: { retryable: false, text: 'git refused.' },
  GIT_TIMEOUT: { retryable: true, text: 'git took too long and was ended.' },
  GIT_NO_REPOSITORY: { retryable: false, text: 'This directory is no git repository with a work tree.' },
  GIT_UNSAFE: { retryable: false, text: 'This repository points outside of itself and is not touched.' },
  GIT_CHANGED: { retryable: true, text: 'This has changed since it was shown; nothing was done.' },
  GIT_UNMERGED: { retryable: false, text: 'This branch has commits that are nowhere else.' },
  NOT_CONFIRMED: { retryable: false, text: 'This cannot be undone and was not confirmed.' },
  REVIEW_CONFLICT: { retryable: false, text: 'The lines are not as they were; nothing was reverted.' },
  REVIEW_NO_TREE: { retryable: true, text: 'The project was not recorded at this point.' },
  PATH_OUTSIDE: { retryable: false, text: 'This leads out of the project.' },
  PATH_INVALID: { retryable: false, text: 'This is not a name that a file can have here.' },
  FILE_NOT_FOUND: { retryable: false, text: 'There is no such file or folder.' },
  FILE_EXISTS: { retryable: false, text: 'There is something of this name already.' },
  FILE_TOO_LARGE: { retryable: false, text: 'The file is larger than what is opened or taken here.' },
  FILE_DENIED: {
    retryable: true,
    text: 'The system does not allow this. Whose file is it, is the disk full?',
  },
  FILE_PROTECTED: { retryable: false, text: 'Git keeps this for itself; it is not changed from here.' },
  NOT_A_FILE: { retryable: false, text: 'This is not a plain file.' },
  NOT_A_FOLDER: { retryable: false, text: 'This is not a folder.' },
  TRASH_GONE: { retryable: false, text: 'This is no longer in the trash.' },
  SEARCH_INVALID: { retryable: false, text: 'This is not a pattern that can be searched for.' },
  SEARCH_TOO_SLOW: { retryable: false, text: 'This pattern takes too long. Try a simpler one.' },
  SESSION_BUSY: { retryable: true, text: 'The session is at work. Wait until its turn has ended.' },
  INTERNAL_ERROR: { retryable: true, text: 'Something went wrong inside tugdeck.' },
};

/** An error for users and programs: a stable code, a message, and a hint. */
export class CodedError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string = ERRORS[code].text, hint?: string) {
    super(message);
    this.name = 'CodedError';
    this.code = code;
    this.hint = hint;
  }
}

export interface ErrorReport {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

const DISK_CODES = /^(?:ENOSPC|EDQUOT|EROFS|SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN))/;

/** A disk error, not a bug: it goes away once there is space. */
export function isDiskFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DISK_CODES.test(String(error.code));
}

/** The report of any error, with a hint: coded errors as they are, others only as an internal error. */
export function reportOf(error: unknown): ErrorReport {
  if (error instanceof CodedError) {
    return { code: error.code, message: error.message, hint: error.hint ?? ADVICE[error.code] };
  }
  return reportOf(new CodedError(isDiskFault(error) ? 'DATA_UNWRITABLE' : 'INTERNAL_ERROR'));
}
