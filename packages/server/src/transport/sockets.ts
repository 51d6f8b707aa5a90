/**
 * Upgrades `/ws` to a WebSocket: origin, sign-in and limits are checked before a single frame is read.
 * A refusal is a plain HTTP answer with a coded error.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '@tugdeck/protocol/wire/error-codes';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Limits } from '../limits.ts';
import { isOwnOrigin, type OriginRule } from './origin.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { Door } from './sign-in.ts';

export interface SocketsOptions {
  readonly server: Server;
  readonly limits: Limits;
  readonly rule: () => OriginRule;
  readonly door: () => Door;
  readonly accept: (socket: WebSocket, signIn: string) => void;
}

export interface Sockets {
  count(): number;
  /** Ends what a sign-in has open. */
  closeSignIn(signIn: string): void;
  /** Ends what all of them have open. */
  closeAll(): void;
  /** Says farewell to all pages; one that does not answer soon is cut off. */
  close(): Promise<void>;
}

const FAREWELL_MS = 250;

const STATUS: Partial<Record<ErrorCode, string>> = {
  NOT_FOUND: '404 Not Found',
  FORBIDDEN_ORIGIN: '403 Forbidden',
  UNAUTHORIZED: '401 Unauthorized',
  TOO_MANY: '503 Service Unavailable',
};

export function serveSockets({ server, limits, rule, door, accept }: SocketsOptions): Sockets {
  const open = new Map<WebSocket, string>();
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: limits.socketPayload,
  });

  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy());
    const fault = check(request);
    const signIn = door().recognize(request.headers.cookie);
    if (fault || signIn === undefined) {
      refuse(stream, fault ?? 'UNAUTHORIZED');
      return;
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      open.set(socket, signIn);
      socket.once('close', () => open.delete(socket));
      accept(socket, signIn);
    });
  });

  function check(request: IncomingMessage): ErrorCode | undefined {
    if (!isOwnOrigin(rule(), request.headers, { required: true })) return 'FORBIDDEN_ORIGIN';
    if (request.url?.split('?', 1)[0] !== '/ws') return 'NOT_FOUND';
    return open.size >= limits.sockets ? 'TOO_MANY' : undefined;
  }

  return {
    count: () => open.size,
    closeSignIn(signIn) {
      for (const [socket, owner] of open) if (owner === signIn) socket.close(4401, 'signed out');
    },
    closeAll() {
      for (const socket of open.keys()) socket.close(4401, 'signed out');
    },
    async close() {
      sockets.close();
      const gone = [...open.keys()].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
      for (const socket of open.keys()) socket.close(1001, 'the server stops');
      const cut = setTimeout(() => {
        for (const socket of open.keys()) socket.terminate();
      }, FAREWELL_MS);
      await Promise.all(gone);
      clearTimeout(cut);
    },
  };
}

function refuse(stream: Duplex, code: ErrorCode): void {
  const body = JSON.stringify(reportOf(new CodedError(code)));
  const headers = Object.entries({
    ...SECURITY_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  });
  const lines = headers.map(([name, value]) => `${name}: ${value}`).join('\r\n');
  stream.end(`HTTP/1.1 ${STATUS[code] ?? '400 Bad Request'}\r\n${lines}\r\n\r\n${body}`);
}
