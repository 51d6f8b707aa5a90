/**
 * Sessions whose host ended while no server was there to hear it: their rows still say what the last server was told.
 * Looked for once, after a start; a row at rest cannot be behind, and the rest are few.
 */
import { setImmediate } from 'node:timers/promises';
import type { Sessions } from './sessions.ts';

export async function catchUp(
  sessions: Sessions,
  isLive: (session: string) => boolean,
  tellEnd: (session: string) => void,
): Promise<void> {
  for (const { id } of sessions.order()) {
    const summary = sessions.find(id)?.summary;
    if (!summary || summary.agentState === 'idle' || isLive(id)) continue;
    tellEnd(id);
    // Each reads the tail of a journal: pages are served in between.
    await setImmediate();
  }
}
