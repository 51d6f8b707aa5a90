import { MAX_DOCUMENT } from '@tugdeck/protocol/conversation/sendable';

/** Limits on everything that comes from outside or waits to be sent (X2, S3). */
export const LIMITS = {
  /** Open pages. */
  sockets: 64,
  /** A page must prove its sign-in within this time after its socket opens. */
  proofMs: 5_000,
  /** Connections without a proven sign-in; above this, the oldest are closed. */
  unauthenticatedConnections: 128,
  /**
   * Size of request headers. Any program on this machine can make the browser send 180 cookies of 4 KB, which we
   * ignore and which must not lock the user out.
   */
  httpHead: 1024 * 1024,
  channels: 64,
  /**
   * Largest message `ws` accepts. Between the frame limit and this size a page gets an error; above it the connection
   * closes.
   */
  socketPayload: 16 * 1024 * 1024,
  /** Above `high` buffered bytes, writing to the page stops until fewer than `low` are left. */
  pageBufferHigh: 1024 * 1024,
  pageBufferLow: 256 * 1024,
  /** Longest line from a local command and from the port keeper. */
  controlLine: 1024 * 1024,
  /** Pending requests per feed. */
  asks: 64,
  httpBody: 64 * 1024,
  /** A file attached to a prompt. */
  upload: MAX_DOCUMENT,
  /** A file dropped into a project. */
  fileUpload: 100 * 1024 * 1024,
  /** Requests that take longer are aborted; signed-in ones only if no more bytes arrive. */
  httpRequestMs: 30_000,
  /** Deeper messages are rejected: encoding them again could overflow the stack. */
  nesting: 64,
  /** A page that is silent for two heartbeats is gone. */
  heartbeatMs: 20_000,
};
export type Limits = typeof LIMITS;
