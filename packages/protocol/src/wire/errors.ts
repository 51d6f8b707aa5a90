/**
 * The error catalog (S2): the text of each code. `docs/errors.md` is tested against it. Not part of the page.
 * Refusals of commands are a separate set in conversation/decide.
 */
import { ADVICE } from './error-advice.ts';
import type { ErrorCode } from './error-codes.ts';

export const ERRORS: Readonly<Record<ErrorCode, { readonly retryable: boolean; readonly text: string }>> = {
  INVALID_MESSAGE: { retryable: false, text: 'Invalid request.' },
  PROJECT_PATH_INVALID: { retryable: false, text: 'Can’t read this folder.' },
  PROJECT_DUPLICATE: { retryable: false, text: 'This folder is already a project.' },
  PROJECT_NOT_FOUND: { retryable: false, text: 'Project not found.' },
  PROJECT_UNTRUSTED: {
    retryable: false,
    text: 'This project is not trusted, and the agent would use its configuration.',
  },
  SESSION_NOT_FOUND: { retryable: false, text: 'Session not found.' },
  SESSION_EMPTY: { retryable: false, text: 'This session has nothing to fork yet.' },
  SESSION_TAKEN: { retryable: false, text: 'This session is already in the list.' },
  CHANNEL_NOT_OPEN: { retryable: false, text: 'No session is open on this channel.' },
  AGENT_UNAVAILABLE: { retryable: true, text: 'The agent couldn’t be started.' },
  AGENT_PROTOCOL_ERROR: { retryable: false, text: 'Incompatible agent protocol.' },
  HOST_UNAVAILABLE: { retryable: true, text: 'The session host couldn’t be started or reached.' },
  HOST_VERSION: { retryable: false, text: 'This session was started by an incompatible version of Tugdeck.' },
  TERMINAL_NOT_FOUND: { retryable: false, text: 'This terminal has been closed.' },
  TERMINAL_UNAVAILABLE: { retryable: true, text: 'The terminal couldn’t be started or reached.' },
  UNAUTHORIZED: { retryable: false, text: 'Sign in with the link that tugdeck url prints.' },
  FORBIDDEN_ORIGIN: { retryable: false, text: 'Request blocked: wrong origin.' },
  TOKEN_INVALID: { retryable: false, text: 'This sign-in link has expired or was already used.' },
  DEVICE_LIMITED: { retryable: false, text: 'This device may only read and answer.' },
  PASSWORD_WRONG: { retryable: false, text: 'Incorrect password.' },
  EXPOSURE_REFUSED: {
    retryable: false,
    text: 'Tugdeck doesn’t listen on a public address without protection.',
  },
  PAYLOAD_TOO_LARGE: { retryable: false, text: 'That’s too large to send.' },
  CONFIGURATION_CHANGED: {
    retryable: true,
    text: 'The configuration changed on disk. Your edit was not saved.',
  },
  NOT_FOUND: { retryable: false, text: 'Page not found.' },
  CONFIRMATION_NEEDED: {
    retryable: false,
    text: 'This mode lets the agent run anything without asking. Confirm to continue.',
  },
  TOO_MANY: { retryable: true, text: 'The limit of open items has been reached.' },
  DATA_NEWER: {
    retryable: false,
    text: 'The data was written by a newer version of Tugdeck. It was left untouched.',
  },
  DATA_UNREADABLE: { retryable: false, text: 'A file in the data directory couldn’t be read.' },
  DATA_UNWRITABLE: { retryable: true, text: 'Can’t write to the data directory. Is the disk full?' },
  MACHINE_CHANGED: { retryable: false, text: 'This data directory belongs to another machine.' },
  DATA_UNSAFE: {
    retryable: false,
    text: 'Another user owns or can change a file, directory or socket that Tugdeck relies on.',
  },
  SESSION_LOCKED: { retryable: true, text: 'This session is open in another process.' },
  READER_UNAVAILABLE: { retryable: true, text: 'The session index is restarting.' },
  GIT_MISSING: { retryable: false, text: 'Git was not found on this machine.' },
  GIT_FAILED: { retryable: false, text: 'Git reported an error.' },
  GIT_TIMEOUT: { retryable: true, text: 'Git took too long and was stopped.' },
  GIT_NO_REPOSITORY: { retryable: false, text: 'Not a Git repository.' },
  GIT_UNSAFE: {
    retryable: false,
    text: 'This repository links to files outside of it. Nothing was changed.',
  },
  GIT_CHANGED: { retryable: true, text: 'This changed since you last saw it. Nothing was done.' },
  GIT_UNMERGED: { retryable: false, text: 'This branch has unmerged commits.' },
  NOT_CONFIRMED: { retryable: false, text: 'This can’t be undone and wasn’t confirmed.' },
  REVIEW_CONFLICT: { retryable: false, text: 'These lines have changed again. Nothing was reverted.' },
  REVIEW_NO_TREE: { retryable: true, text: 'Tugdeck didn’t record the files at this point.' },
  PATH_OUTSIDE: { retryable: false, text: 'That path is outside the project.' },
  PATH_INVALID: { retryable: false, text: 'Invalid file name.' },
  FILE_NOT_FOUND: { retryable: false, text: 'File or folder not found.' },
  FILE_EXISTS: { retryable: false, text: 'A file or folder with this name already exists.' },
  FILE_TOO_LARGE: { retryable: false, text: 'The file is too large.' },
  FILE_DENIED: {
    retryable: true,
    text: 'Permission denied, or the disk is full.',
  },
  FILE_PROTECTED: { retryable: false, text: 'Files inside .git can’t be edited here.' },
  NOT_A_FILE: { retryable: false, text: 'This is not a regular file.' },
  NOT_A_FOLDER: { retryable: false, text: 'This is not a folder.' },
  TRASH_GONE: { retryable: false, text: 'This is no longer in the trash.' },
  SEARCH_INVALID: { retryable: false, text: 'Invalid search pattern.' },
  SEARCH_TOO_SLOW: { retryable: false, text: 'This pattern takes too long. Try a simpler one.' },
  SESSION_BUSY: { retryable: true, text: 'This session is busy.' },
  WORKSPACE_NOT_FOUND: { retryable: false, text: 'Workspace not found.' },
  WORKSPACE_BUSY: { retryable: true, text: 'This workspace is in use.' },
  WORKSPACE_MISSING: { retryable: false, text: 'The files of this workspace are missing.' },
  WORKSPACE_UNSAFE: { retryable: false, text: 'Something could be lost, so nothing was done.' },
  BASE_DIVERGED: {
    retryable: false,
    text: 'The base and its upstream have diverged.',
  },
  LAND_CONFLICT: { retryable: false, text: 'The workspace conflicts with its base.' },
  LAND_MOVED: {
    retryable: true,
    text: 'The branch or the workspace changed since you saw it. Nothing was landed.',
  },
  CHECK_FAILED: { retryable: true, text: 'The check failed. Nothing was landed.' },
  DISK_LOW: { retryable: true, text: 'Not enough disk space.' },
  GIT_STOPPED: { retryable: true, text: 'Stopped.' },
  GIT_CREDENTIALS: { retryable: false, text: 'The remote needs credentials that git doesn’t have here.' },
  BRANCH_DIVERGED: {
    retryable: false,
    text: 'This branch and its upstream have both new commits. The branch was not changed.',
  },
  PUSH_REJECTED: { retryable: false, text: 'The remote rejected the push.' },
  PUSH_SECRETS: { retryable: false, text: 'The commits seem to contain secrets. Nothing was pushed.' },
  FORGE_MISSING: { retryable: false, text: 'GitHub’s command line program (gh) was not found.' },
  FORGE_SIGNED_OUT: { retryable: false, text: 'gh is not signed in to this host.' },
  FORGE_FAILED: { retryable: true, text: 'The forge could not be reached or refused.' },
  INTERNAL_ERROR: { retryable: true, text: 'Something went wrong inside Tugdeck.' },
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

/** A disk error, not a bug: it goes away once there is space or writing is allowed again. */
export function isDiskFault(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && DISK_CODES.test(String(error.code));
}

/** The report of any error, with a hint: coded errors as they are, others only as an internal error. */
export function reportOf(error: unknown): ErrorReport {
  if (error instanceof CodedError) {
    return { code: error.code, message: error.message, hint: error.hint ?? ADVICE[error.code] };
  }
  return reportOf(new CodedError(isDiskFault(error) ? 'DATA_UNWRITABLE' : 'INTERNAL_ERROR'));
}
