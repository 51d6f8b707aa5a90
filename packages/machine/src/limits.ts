/** Limits on work that waits in this machine's services (X2, S3). */
export const LIMITS = {
  /** Longest line from a session host. */
  hostLine: 8 * 1024 * 1024,
  /** Unacknowledged commands per channel. */
  outstandingCommands: 256,
  /** Queued requests per channel. */
  waitingRequests: 1000,
  /** Changes of one row within this time are published once. */
  rowMs: 50,
  /** Session rows per message; more follow in further messages. */
  rows: 200,
  projects: 200,
};
