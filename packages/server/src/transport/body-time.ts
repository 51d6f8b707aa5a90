/**
 * How long the body of a request may take (X2). One that proves nothing has one stretch of time for all of it. One of somebody who
 * is signed in goes on for as long as bytes come: a large file over a slow line takes minutes. Node knows a limit in total only.
 */
import type { IncomingMessage, Server } from 'node:http';

export interface BodyTime {
  /** This request is of somebody who is signed in. */
  proven(request: IncomingMessage): void;
}

export function limitBodies(server: Server, stretchMs: number): BodyTime {
  const proven = new WeakSet<IncomingMessage>();
  server.prependListener('request', (request: IncomingMessage) => {
    if (!hasBody(request)) return;
    const { socket } = request;
    let read = socket.bytesRead;
    const timer = setInterval(() => {
      const isComing = socket.bytesRead > read;
      // It waits for us, not we for it.
      const isHeldUp = request.readableLength >= request.readableHighWaterMark;
      read = socket.bytesRead;
      if (request.complete) clearInterval(timer);
      else if (!proven.has(request) || !(isComing || isHeldUp)) socket.destroy();
    }, stretchMs);
    timer.unref();
    const stop = () => clearInterval(timer);
    request.once('end', stop).once('close', stop);
  });
  return { proven: (request) => void proven.add(request) };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}
