/**
 * How long the body of a request may take (X2). One that proves nothing has one stretch of time for all of it. One of somebody who
 * is signed in goes on for as long as bytes come: a large file over a slow line takes minutes. Node knows a limit in total only.
 */
import type { IncomingMessage, Server } from 'node:http';

export interface BodyTimeout {
  /** This request is of somebody who is signed in. */
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
      // It waits for us, not we for it.
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
