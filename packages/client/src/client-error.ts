/** The error of a rejected request or command: a stable code, a message and a hint. */
import { REFUSALS, type RefusalCode } from '@tugdeck/protocol/conversation/decide';
import type { ErrorCode } from '@tugdeck/protocol/wire/error-codes';

export type ClientErrorCode = ErrorCode | RefusalCode | 'DISPOSED' | 'CONNECTION_LOST';

export class ClientError extends Error {
  readonly code: ClientErrorCode;
  readonly hint: string | undefined;

  constructor(code: ClientErrorCode, message: string, hint?: string | undefined) {
    super(message);
    this.name = 'ClientError';
    this.code = code;
    this.hint = hint;
  }
}

export function refusalError(code: RefusalCode, message?: string | undefined): ClientError {
  return new ClientError(code, message ?? REFUSALS[code]);
}

export function codedError(code: ErrorCode, message: string, hint?: string): ClientError {
  return new ClientError(code, message, hint);
}

/** Larger than a frame may be, so it is not sent. */
export function tooLargeError(): ClientError {
  return codedError('PAYLOAD_TOO_LARGE', 'This is too large to send at once.', 'Attach long text as a file.');
}

export function disposedError(): ClientError {
  return new ClientError('DISPOSED', 'This page is being closed.');
}

export function connectionLostError(): ClientError {
  return new ClientError('CONNECTION_LOST', 'The connection was lost before the server answered.');
}
