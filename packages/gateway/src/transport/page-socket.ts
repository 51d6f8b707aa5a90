/**
 * One WebSocket as frames (S1) with a bounded send buffer (S3): reports congestion, stops reading from the page until
 * it has drained, and detects dead connections.
 */

import { decodeFrame, encodeFrame, type Feed, type Frame, MAX_FRAME_IN } from '@tugdeck/protocol/wire/frames';
import type { RawData, WebSocket } from 'ws';
import type { Limits } from '../limits.ts';

export interface PageSocketEvents {
  frame(frame: Frame): void;
  /** Not a frame, or above the size limit; with the channel if it could be read. */
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
  // `ws` closes the socket after an error.
  socket.on('error', () => socket.terminate());

  const written = () => {
    // While paused we see no pongs; accepted bytes prove that the page is alive.
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
