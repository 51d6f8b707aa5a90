/**
 * Upgrades `/ws` to a WebSocket. Checks origin, limits and the named sign-in first; then server and page prove
 * themselves to each other (X1). Refusals before the upgrade are plain HTTP responses with a coded error.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '@tugdeck/protocol/wire/error-codes';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import { pageProofSchema, socketHelloSchema } from '@tugdeck/protocol/wire/proof';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Limits } from '../limits.ts';
import { type Door, findDoor } from './door.ts';
import type { Authenticator, Challenge } from './sign-in.ts';

export interface SocketsOptions {
  readonly server: Server;
  readonly limits: Limits;
  /** Sent with every response. */
  readonly headers: Readonly<Record<string, string>>;
  readonly doors: () => readonly Door[];
  readonly authenticated: (stream: Duplex) => void;
  readonly accept: (socket: WebSocket, signIn: string, authenticator: Authenticator) => void;
}

export interface Sockets {
  count(): number;
  /** Closes a sign-in's sockets at once; nothing it still sends is processed. */
  closeSignIn(signIn: string): void;
  /** Closes all sockets at once. */
  closeAll(): void;
  /** Closes all sockets; a page that does not answer soon is terminated. */
  close(): Promise<void>;
}

/** A page that does not answer a close is terminated after this. */
const CLOSE_TIMEOUT_MS = 250;
/** Close code for a missing sign-in; the page then asks for a new sign-in link. */
const SIGNED_OUT = 4401;

const STATUS: Partial<Record<ErrorCode, string>> = {
  NOT_FOUND: '404 Not Found',
  FORBIDDEN_ORIGIN: '403 Forbidden',
  UNAUTHORIZED: '401 Unauthorized',
  TOO_MANY: '503 Service Unavailable',
};

interface Accepted {
  readonly signIn: string;
  readonly challenge: Challenge;
  readonly authenticator: Authenticator;
}

export function serveSockets(options: SocketsOptions): Sockets {
  const { server, limits, headers, doors, authenticated, accept } = options;
  const open = new Map<WebSocket, string>();
  /** Upgraded, but not authenticated yet. */
  const unauthenticated = new Set<WebSocket>();
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: limits.socketPayload,
  });

  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy());
    const accepted = check(request);
    if (typeof accepted === 'string') {
      refuse(stream, accepted, headers);
      return;
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      unauthenticated.add(socket);
      handshake(socket, accepted.challenge, limits.proofMs, (isProven) => {
        unauthenticated.delete(socket);
        if (!isProven) {
          disconnect(socket, SIGNED_OUT, 'not signed in');
          return;
        }
        open.set(socket, accepted.signIn);
        socket.once('close', () => open.delete(socket));
        authenticated(stream);
        accept(socket, accepted.signIn, accepted.authenticator);
      });
    });
  });

  function check(request: IncomingMessage): ErrorCode | Accepted {
    const door = findDoor(doors(), request.headers, { required: true });
    if (!door) return 'FORBIDDEN_ORIGIN';
    // Not `new URL`: it throws for addresses like `//`, which would crash the server.
    const [path, query] = (request.url ?? '').split('?', 2);
    if (path !== '/ws') return 'NOT_FOUND';
    const hello = socketHelloSchema.safeParse(Object.fromEntries(new URLSearchParams(query))).data;
    const { authenticator } = door;
    const challenge = hello && authenticator.challenge(hello.signIn, hello.nonce);
    if (!hello || !challenge) return 'UNAUTHORIZED';
    return open.size + unauthenticated.size >= limits.sockets
      ? 'TOO_MANY'
      : { signIn: hello.signIn, challenge, authenticator };
  }

  return {
    count: () => open.size,
    closeSignIn(signIn) {
      for (const [socket, owner] of open) if (owner === signIn) disconnect(socket, SIGNED_OUT, 'signed out');
    },
    closeAll() {
      for (const socket of open.keys()) disconnect(socket, SIGNED_OUT, 'signed out');
    },
    async close() {
      sockets.close();
      const all = [...open.keys(), ...unauthenticated];
      const gone = all.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
      for (const socket of all) socket.close(1001, 'server stopping');
      const cut = setTimeout(() => {
        for (const socket of all) socket.terminate();
      }, CLOSE_TIMEOUT_MS);
      await Promise.all(gone);
      clearTimeout(cut);
    },
  };
}

/**
 * Sends our proof and waits for the page's, which must be its next message. `done` is a callback instead of a
 * promise, because the page's first frame may arrive together with its proof.
 */
function handshake(
  socket: WebSocket,
  challenge: Challenge,
  withinMs: number,
  done: (isProven: boolean) => void,
): void {
  const settle = (isProven: boolean) => {
    clearTimeout(timer);
    socket.off('message', answered).off('close', lost);
    done(isProven);
  };
  const lost = () => settle(false);
  const answered = (data: RawData, isBinary: boolean) => settle(!isBinary && isProof(data, challenge));
  const timer = setTimeout(lost, withinMs);
  socket.on('error', () => socket.terminate());
  socket.once('message', answered).once('close', lost);
  socket.send(JSON.stringify(challenge.proof));
}

function isProof(data: RawData, challenge: Challenge): boolean {
  const text = data.toString();
  if (text.length > 1_000) return false;
  try {
    const { data: answer } = pageProofSchema.safeParse(JSON.parse(text));
    return answer !== undefined && challenge.isAnswer(answer.proof);
  } catch {
    return false; // Not JSON.
  }
}

/** Stops listening first: a peer that ignores the close cannot do anything until it is terminated. */
function disconnect(socket: WebSocket, code: number, reason: string): void {
  socket.removeAllListeners('message');
  socket.close(code, reason);
  setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS).unref();
}

function refuse(stream: Duplex, code: ErrorCode, always: Readonly<Record<string, string>>): void {
  const body = JSON.stringify(reportOf(new CodedError(code)));
  const headers = Object.entries({
    ...always,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  });
  const lines = headers.map(([name, value]) => `${name}: ${value}`).join('\r\n');
  stream.end(`HTTP/1.1 ${STATUS[code] ?? '400 Bad Request'}\r\n${lines}\r\n\r\n${body}`, () =>
    stream.destroy(),
  );
  // Do not wait for a client that never reads the response.
  const timeout = setTimeout(() => stream.destroy(), CLOSE_TIMEOUT_MS);
  stream.once('close', () => clearTimeout(timeout));
}
