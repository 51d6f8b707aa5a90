/**
 * Sessions whose host ended while no server was there to hear it: their rows still say what the last server was told.
 * Looked for once, after a start; a row at rest cannot be behind, and the rest are few.
 */
import { setImmediate } from 'node:timers/promises';
import type { Sessions } from './sessions.ts';

/** Rows looked at before others are answered. */
const AT_ONCE = 50;

export async function catchUp(
  sessions: Sessions,
  isLive: (session: string) => boolean,
  tellEnd: (session: string) => Promise<void>,
): Promise<void> {
  for (const [at, { id }] of sessions.order().entries()) {
    if (at % AT_ONCE === AT_ONCE - 1) await setImmediate();
    const summary = sessions.find(id)?.summary;
    if (summary && summary.agentState !== 'idle' && !isLive(id)) await tellEnd(id);
  }
}
