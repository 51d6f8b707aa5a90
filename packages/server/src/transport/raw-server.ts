/** The server below Fastify, with TLS or without; everything above, upgrades too, is the same for both (X1). */
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Tls } from './exposure.ts';

/** A page asks for many files in a row. */
const KEEP_ALIVE_MS = 72_000;
const HANDSHAKE_MS = 10_000;

export function createRawServer(
  times: ServerOptions,
  tls: Tls | undefined,
  handler: RequestListener,
): Server {
  const options = { keepAliveTimeout: KEEP_ALIVE_MS, ...times };
  if (!tls) return createServer(options, handler);
  const secure = createTlsServer(
    { ...options, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: HANDSHAKE_MS },
    handler,
  );
  // Inside TLS too, a connection is from where the one below it came.
  secure.on('secureConnection', (inner: TLSSocket & { readonly _parent?: Socket }) => {
    Object.defineProperty(inner, 'remoteAddress', { value: inner._parent?.remoteAddress });
  });
  // Of what is used of it the two are alike; their types have no common name.
  return secure as unknown as Server;
}
