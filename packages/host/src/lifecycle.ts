/** The states of an agent's process as its runner sees them. */
import type { Agent } from '@tugdeck/drivers/kit/port';

export type Lifecycle =
  | { readonly at: 'down' }
  /** The agent has exited; its child processes are being ended, and no new agent may start before that. */
  | { readonly at: 'settling' }
  | { readonly at: 'starting' | 'up' | 'ending'; readonly agent: Agent }
  | { readonly at: 'pausing'; readonly timer: NodeJS.Timeout };
