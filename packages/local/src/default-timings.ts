/**
 * Every duration of the specification, as fields of one object, so that tests shrink them instead of
 * waiting (L3). Milliseconds.
 */
export const DEFAULT_TIMINGS = {
  /** New streamed text reaches the journal at least this often (H5). */
  checkpointMs: 200,
  /** Live appends are gathered this long before they go to clients. */
  liveFlushMs: 8,
  /** An agent that died is started again after this (H6) … */
  restartMs: 1_000,
  /** … but not more than `restartBudget` times within this. */
  restartWindowMs: 60_000,
  /** An agent that does not start is tried again after these (A24). */
  startRetryMs: [1_000, 2_000, 4_000, 8_000, 16_000],
  /** From spawn to the end of the handshake. */
  startTimeoutMs: 15_000,
  /** From cancel to escalation (H8). */
  cancelMs: 5_000,
  /** Ending an agent (L8): after its farewell, then after SIGTERM. */
  farewellMs: 5_000,
  terminateMs: 3_000,
  /** A running turn without a word for so long is told as quiet (H7). */
  quietMs: 30_000,
  /** While a command runs that streams nothing itself, its output is asked for this often (C4). */
  taskOutputMs: 1_000,
  /** A host that cannot write because the disk is full tries again this often (H5). */
  roomMs: 1_000,
  /** A host with nothing to do ends itself (H1). */
  idleMs: 30 * 60_000,
  /** The holder of a lock refreshes its lease this often, and looks whether the lock is still its own (N1, N2) … */
  leaseMs: 10_000,
  /** … and one that is not judged by its pid is dead when its lease was not refreshed for so long. */
  leaseExpiryMs: 120_000,
  /** From spawning a host to its socket. */
  hostStartMs: 10_000,
  /** The terminal host ends itself when nothing ran in it and nobody looked for so long (W1). */
  terminalIdleMs: 60_000,
  /** A page that draws nothing for so long holds its terminal up no longer, and gets the screen afresh later (W1). */
  terminalStallMs: 2_000,
  /** One-time sign-in addresses, and the sign-ins they give (X1). */
  tokenMs: 10 * 60_000,
  signInMs: 30 * 24 * 3_600_000,
  /** The page's reconnect steps, the last one for ever (D6). */
  reconnectMs: [500, 1_000, 2_000, 4_000, 5_000],
  /** A page that heard nothing for so long asks whether the server is there; half of it later the link is dead (D6). */
  pulseMs: 10_000,
  /** A session in the trash is kept so long (S5). */
  trashMs: 30 * 24 * 3_600_000,
  /** While somebody looks at the statistics, our processes are measured this often (W5). */
  sampleMs: 2_000,
};
export type Timings = typeof DEFAULT_TIMINGS;

/** Times an agent may die within `restartWindowMs` before it is left stopped. */
export const RESTART_BUDGET = 3;
