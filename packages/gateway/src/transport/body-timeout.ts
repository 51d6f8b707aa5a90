/**
 * Time limit for request bodies (X2). Unauthenticated requests get one interval in total; signed-in ones continue
 * while bytes arrive, because a large upload on a slow line takes minutes. Node only has a total limit.
 */
import type { IncomingMessage, Server } from 'node:http';

export interface BodyTimeout {
  /** Marks a request as signed in. */
  authenticated(request: IncomingMessage): void;
}

export function limitBodyTime(server: Server, timeoutMs: number): BodyTimeout {
  const authenticated = new WeakSet<IncomingMessage>();
  server.prependListener('request', (request: IncomingMessage) => {
    if (!hasBody(request)) return;
    const { socket } = request;
    let read = socket.bytesRead;
    const timer = setInterval(() => {
      const isReceiving = socket.bytesRead > read;
      // Our buffer is full: the client is waiting for us.
      const isBufferFull = request.readableLength >= request.readableHighWaterMark;
      read = socket.bytesRead;
      if (request.complete) clearInterval(timer);
      else if (!authenticated.has(request) || !(isReceiving || isBufferFull)) socket.destroy();
    }, timeoutMs);
    timer.unref();
    const stop = () => clearInterval(timer);
    request.once('end', stop).once('close', stop);
  });
  return { authenticated: (request) => void authenticated.add(request) };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}
