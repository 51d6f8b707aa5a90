/** Finds the running server by the ledger and asks it one thing (L2). Used by the `tugdeck` commands. */
import { openLedger } from '@tugdeck/local/ledger';
import { createLineReader } from '@tugdeck/local/lines';
import { connectOwn } from '@tugdeck/local/own-socket';
import { isRunning, type ProcessIdentity } from '@tugdeck/local/process-identity';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { LIMITS } from '../limits.ts';
import { type ControlAnswer, type ControlRequest, controlAnswerSchema } from './messages.ts';

export interface FoundServer {
  readonly identity: ProcessIdentity;
  readonly socket: string;
}

export const SERVER_RECORD = 'server';

export function findServer(ledgerDirectory: string): FoundServer | undefined {
  const record = openLedger(ledgerDirectory).get(SERVER_RECORD);
  if (!record?.socket || !isRunning(record.identity)) return undefined;
  return { identity: record.identity, socket: record.socket };
}

/** An error answer is thrown as what it says. */
export async function askServer(
  server: FoundServer,
  request: ControlRequest,
  timeoutMs = 10_000,
): Promise<Exclude<ControlAnswer, { type: 'error' }>> {
  const answer = await exchange(server.socket, request, timeoutMs);
  if (answer.type !== 'error') return answer;
  throw new CodedError(answer.code, answer.message, answer.hint);
}

function exchange(path: string, request: ControlRequest, timeoutMs: number): Promise<ControlAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connectOwn(path);
    const fail = (message: string) => {
      clearTimeout(timer);
      socket.destroy();
      reject(new CodedError('HOST_UNAVAILABLE', `The server could not be reached: ${message}`));
    };
    const timer = setTimeout(() => fail('it does not answer'), timeoutMs);
    const reader = createLineReader(LIMITS.controlLine, {
      overlong: () => fail('its answer is too long'),
      line: (line) => {
        const parsed = controlAnswerSchema.safeParse(JSON.parse(line));
        if (!parsed.success) return fail('its answer was not understood');
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
