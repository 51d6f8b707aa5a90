/**
 * One WebSocket as frames (S1), with a bounded way out (S3): above its bound it says so, takes no more
 * requests from the page, and tells when it has drained. Also finds sockets whose other end is gone.
 */
import { decodeFrame, encodeFrame, type Feed, type Frame, MAX_FRAME_IN } from '@tugdeck/protocol/wire/frames';
import type { RawData, WebSocket } from 'ws';
import type { Limits } from '../limits.ts';

export interface PageSocketEvents {
  frame(frame: Frame): void;
  /** A message that is no frame, or one above the limit; the channel where it could be read. */
  unreadable(problem: 'INVALID_MESSAGE' | 'PAYLOAD_TOO_LARGE', channel: number): void;
  congested(): void;
  drained(): void;
  closed(): void;
}

export interface PageSocket {
  readonly congested: boolean;
  send(feed: Feed, channel: number, payload: string | Uint8Array): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

const ENCODER = new TextEncoder();

export function openPageSocket(socket: WebSocket, limits: Limits, events: PageSocketEvents): PageSocket {
  let congested = false;
  let isAlive = true;

  socket.on('message', (data: RawData, isBinary: boolean) => {
    isAlive = true;
    const bytes = toBytes(data);
    const frame = isBinary ? decodeFrame(bytes) : undefined;
    if (bytes.length > MAX_FRAME_IN) events.unreadable('PAYLOAD_TOO_LARGE', frame?.channel ?? 0);
    else if (!frame) events.unreadable('INVALID_MESSAGE', 0);
    else events.frame(frame);
  });
  socket.on('pong', () => {
    isAlive = true;
  });

  const heartbeat = setInterval(() => {
    if (!isAlive) {
      socket.terminate();
      return;
    }
    isAlive = false;
    socket.ping();
  }, limits.heartbeatMs);
  heartbeat.unref();

  socket.on('close', () => {
    clearInterval(heartbeat);
    events.closed();
  });
  // `ws` closes the socket after an error by itself; the close is what matters here.
  socket.on('error', () => socket.terminate());

  const written = () => {
    // While we do not read, a pong cannot be seen: bytes that were taken are the sign of life.
    isAlive = true;
    if (!congested || socket.bufferedAmount > limits.pageBufferLow) return;
    congested = false;
    socket.resume();
    events.drained();
  };

  return {
    get congested() {
      return congested;
    },
    send(feed, channel, payload) {
      if (socket.readyState !== socket.OPEN) return;
      const bytes = typeof payload === 'string' ? ENCODER.encode(payload) : payload;
      socket.send(encodeFrame(feed, channel, bytes), { binary: true }, (error) => {
        if (!error) written();
      });
      if (congested || socket.bufferedAmount <= limits.pageBufferHigh) return;
      congested = true;
      socket.pause();
      events.congested();
    },
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate(),
  };
}

function toBytes(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}
