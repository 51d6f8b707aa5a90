/** Client for the running server's control socket (L2), used by `tugdeck` commands. */
import type { LedgerRecord } from '@tugdeck/local/ledger';
import { createLineReader } from '@tugdeck/local/lines';
import { connectOwn } from '@tugdeck/local/own-socket';
import { describePlace, whereabouts } from '@tugdeck/local/place';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { LIMITS } from '../limits.ts';
import type { FoundServer } from './find-server.ts';
import { type ControlAnswer, type ControlRequest, controlAnswerSchema } from './messages.ts';

export { type FoundServer, findServer } from './find-server.ts';

/** Sends one request. An error answer is thrown as a `CodedError`. */
export async function requestServer(
  server: FoundServer,
  request: ControlRequest,
  timeoutMs = 10_000,
): Promise<Exclude<ControlAnswer, { type: 'error' }>> {
  const answer = await exchange(server, request, timeoutMs);
  if (answer.type !== 'error') return answer;
  throw new CodedError(answer.code, answer.message, answer.hint);
}

function exchange(
  { socket: path, record }: FoundServer,
  request: ControlRequest,
  timeoutMs: number,
): Promise<ControlAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connectOwn(path);
    const fail = (message: string) => {
      clearTimeout(timer);
      socket.destroy();
      reject(unreachable(record, message));
    };
    const timer = setTimeout(() => fail('no answer'), timeoutMs);
    const reader = createLineReader(LIMITS.controlLine, {
      overlong: () => fail('the answer is too long'),
      line: (line) => {
        const parsed = controlAnswerSchema.safeParse(JSON.parse(line));
        if (!parsed.success) return fail('the answer could not be parsed');
        clearTimeout(timer);
        socket.end();
        resolve(parsed.data);
      },
    });
    socket.on('connect', () => socket.write(`${JSON.stringify(request)}\n`));
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
    socket.on('error', (error) => fail(error.message));
    socket.on('close', () => fail('it closed the connection'));
  });
}

function unreachable({ identity }: LedgerRecord, message: string): CodedError {
  if (whereabouts(identity) !== 'elsewhere') {
    return new CodedError('HOST_UNAVAILABLE', `Can't reach the server: ${message}`);
  }
  return new CodedError(
    'HOST_UNAVAILABLE',
    `The server for this data directory runs ${describePlace(identity)} and can't be reached from here: ${message}`,
    'Use it there, or stop it with tugdeck stop. If it was killed, try again in two minutes.',
  );
}
