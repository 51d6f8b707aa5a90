import { MAX_DOCUMENT } from '@tugdeck/protocol/conversation/sendable';

/** Bounds on everything that comes from outside or waits to go there (X2, S3). */
export const LIMITS = {
  /** Open pages, and sessions that one of them may follow at once. */
  sockets: 64,
  /** A page that has a socket proves itself within this. */
  proofMs: 5_000,
  /** Connections that have proven nothing; of more than these the oldest are cut off. */
  unauthenticatedConnections: 128,
  /**
   * Heads of requests. Any program on this machine can make the browser send us 180 cookies of 4 KB, which we do not
   * look at and which must not lock the user out.
   */
  httpHead: 1024 * 1024,
  channels: 64,
  /** What `ws` takes at all; between the frame limit and this a page is told, above it cut off. */
  socketPayload: 16 * 1024 * 1024,
  /** A page with more than `high` bytes waiting is not written to until fewer than `low` are left. */
  pageBufferHigh: 1024 * 1024,
  pageBufferLow: 256 * 1024,
  /** Longest line taken from a session host, and from a local command. */
  hostLine: 8 * 1024 * 1024,
  controlLine: 1024 * 1024,
  /** Commands of one channel that no host has acknowledged yet. */
  outstandingCommands: 256,
  /** Requests of one channel that wait for their turn. */
  waitingRequests: 1000,
  /** Asks of one feed that wait for their reply. */
  asks: 64,
  httpBody: 64 * 1024,
  /** A file on its way to an agent. */
  upload: MAX_DOCUMENT,
  /** A file dropped into a project. */
  fileUpload: 100 * 1024 * 1024,
  /** A request that is not here by then is given up; one with a proof only when no more of it came. */
  httpRequestMs: 30_000,
  /** A message nested deeper than this is not ours; writing it again could exhaust a stack. */
  nesting: 64,
  /** A page that gives no sign of life for two of these is gone. */
  heartbeatMs: 20_000,
  /** Changes of one row within this are told once. */
  rowMs: 50,
  /** Rows of sessions that are told at once; more come in further parts. */
  rows: 200,
  projects: 200,
};
export type Limits = typeof LIMITS;
