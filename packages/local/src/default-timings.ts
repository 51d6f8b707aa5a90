/**
 * Every duration of the specification in one object, so that tests can shorten them instead of waiting (L3).
 * Milliseconds.
 */
export const DEFAULT_TIMINGS = {
  /** New streamed text reaches the journal at least this often (H5). */
  checkpointMs: 200,
  /** Live appends are collected for this long before they are sent to clients. */
  liveFlushMs: 8,
  /** Delay before a dead agent is restarted (H6) … */
  restartMs: 1_000,
  /** … but at most `RESTART_BUDGET` times within this window. */
  restartWindowMs: 60_000,
  /** Delays between attempts to start an agent that fails to start (A24). */
  startRetryMs: [1_000, 2_000, 4_000, 8_000, 16_000],
  /** From spawn to the end of the handshake. */
  startTimeoutMs: 15_000,
  /** From cancel to escalation (H8). */
  cancelMs: 5_000,
  /** Ending an agent (L8): time after its own shutdown request, then after SIGTERM. */
  farewellMs: 5_000,
  terminateMs: 3_000,
  /** How long a prompt waits until the project's files are recorded (T3). */
  treeWaitMs: 400,
  /** A running turn without output for this long is reported as quiet (H7). */
  quietMs: 30_000,
  /** How often the output of a running command that streams nothing itself is polled (C4). */
  taskOutputMs: 1_000,
  /** How often a host retries to write while the disk is full (H5). */
  roomMs: 1_000,
  /** An idle host exits after this (H1). */
  idleMs: 30 * 60_000,
  /** The holder of a lock refreshes its lease, and checks that it still holds the lock, this often (N1, N2) … */
  leaseMs: 10_000,
  /** … and a holder whose pid cannot be checked is dead after this time without a refresh. */
  leaseExpiryMs: 120_000,
  /** From spawning a host to its socket. */
  hostStartMs: 30_000,
  /** The terminal host exits after this time without terminals and connections (W1). */
  terminalIdleMs: 60_000,
  /** A page that renders nothing for this long no longer pauses its terminal, and gets a fresh screen later (W1). */
  terminalStallMs: 2_000,
  /** Lifetimes of sign-in links and of sign-ins (X1). */
  tokenMs: 10 * 60_000,
  signInMs: 30 * 24 * 3_600_000,
  /** The page's reconnect delays; the last one repeats (D6). */
  reconnectMs: [500, 1_000, 2_000, 4_000, 5_000],
  /**
   * A page that received nothing for this long sends a ping; after half as long again the connection is dead (D6).
   */
  pulseMs: 10_000,
  /** How long a session stays in the trash (S5). */
  trashMs: 30 * 24 * 3_600_000,
  /** How often processes are measured while the statistics are open (W5). */
  sampleMs: 2_000,
};
export type Timings = typeof DEFAULT_TIMINGS;

/** How often an agent may die within `restartWindowMs` before it is left stopped. */
export const RESTART_BUDGET = 3;
