/** The HTTP server below Fastify, with or without TLS (X1). */
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Tls } from './exposure.ts';

/** Long, because a page requests many files in a row. */
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
  // A relayed connection has its address on the outer stream only.
  secure.on('secureConnection', (inner) => {
    Object.defineProperty(inner, 'remoteAddress', { value: (outerStream(inner) as Socket).remoteAddress });
  });
  // Both have the same interface here, but no common type.
  return secure as unknown as Server;
}

/** The connection that carries a TLS stream; any other stream is its own. */
export function outerStream(stream: Duplex & { readonly _parent?: Socket }): Duplex {
  return stream._parent ?? stream;
}
