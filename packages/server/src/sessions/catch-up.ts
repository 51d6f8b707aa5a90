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
  let looked = 0;
  for (const { id } of sessions.walk()) {
    looked += 1;
    if (looked % AT_ONCE === 0) await setImmediate();
    const summary = sessions.find(id)?.summary;
    if (summary && summary.agentState !== 'idle' && !isLive(id)) await tellEnd(id);
  }
}
