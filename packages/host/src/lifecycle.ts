/** The states of an agent's process, and of a request to end it, as its runner sees them. */
import type { Agent } from '@tugdeck/drivers/kit/port';

export type Lifecycle =
  | { readonly at: 'down' }
  /** The agent has exited; its child processes are being ended, and no new agent may start before that. */
  | { readonly at: 'settling' }
  | { readonly at: 'starting' | 'up' | 'ending'; readonly agent: Agent }
  | { readonly at: 'pausing'; readonly timer: NodeJS.Timeout };

/** While it is not `no`, an exit is expected and does not count as a crash. */
export type Ending =
  | { readonly at: 'no' }
  /** `thenStart`: a start was requested while it ended. */
  | { readonly at: 'stopping'; readonly done: Promise<void>; thenStart: boolean }
  /** Permanently: the agent is not started again. */
  | { readonly at: 'closing'; readonly done: Promise<void> };
