/** Connection to the port keeper: authenticates with its secret and receives what it holds. */
import type { Socket } from 'node:net';
import { isKeeperAnswer, type KeeperAnswer, type KeeperRequest } from '@tugdeck/local/keeper-link';
import type { LedgerRecord } from '@tugdeck/local/ledger';
import { createLineReader } from '@tugdeck/local/lines';
import { connectOwn } from '@tugdeck/local/own-socket';
import { parseShape } from '@tugdeck/local/shape';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { LIMITS } from '../limits.ts';

export interface KeeperConnection {
  readonly held: KeeperAnswer;
  send(request: KeeperRequest): void;
  /** Resolves when the keeper is gone or the connection was closed. */
  readonly closed: Promise<void>;
  close(): void;
}

export function connectKeeper(
  { socket: path, secret }: Pick<LedgerRecord, 'socket' | 'secret'>,
  timeoutMs: number,
): Promise<KeeperConnection> {
  return new Promise((resolve, reject) => {
    if (path === undefined || secret === undefined) throw unreachable('its record has no socket');
    const socket = connectOwn(path);
    const fail = (why: string) => {
      clearTimeout(timer);
      socket.destroy();
      reject(unreachable(why));
    };
    const timer = setTimeout(() => fail('no answer'), timeoutMs);
    const closed = new Promise<void>((done) => {
      socket.once('close', () => {
        fail('it closed the connection');
        done();
      });
    });
    const reader = createLineReader(LIMITS.controlLine, {
      overlong: () => fail('its answer is too long'),
      line: (line) => {
        const held = parseShape(line, isKeeperAnswer);
        if (!held) return fail('its answer could not be parsed');
        clearTimeout(timer);
        resolve({ held, send, closed, close: () => socket.destroy() });
      },
    });
    const send = (request: KeeperRequest) => write(socket, request);
    socket.on('connect', () => send({ type: 'hello', secret }));
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
    socket.on('error', (error) => fail(error.message));
  });
}

function write(socket: Socket, request: KeeperRequest): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(request)}\n`);
}

function unreachable(why: string): CodedError {
  return new CodedError('HOST_UNAVAILABLE', `Can't reach the port keeper: ${why}`);
}
