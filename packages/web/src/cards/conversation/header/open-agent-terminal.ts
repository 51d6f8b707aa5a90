/**
 * Opens the session in the agent's own terminal interface (A41). The server makes sure that only one of them
 * writes.
 */

import type { Client } from '@tugdeck/client/client';
import { newId } from '@tugdeck/client/new-id';
import { terminals as terminalArea } from '@tugdeck/protocol/areas/terminals';
import { openCard } from '../../../kit/layout/open-card.ts';
import { placeOfSession } from '../../../kit/place.ts';

const SIZE = { cols: 80, rows: 24 };

export async function openAgentTerminal(client: Client, session: string): Promise<void> {
  const project = placeOfSession(client.deck.get(), session);
  if (project === undefined) return;
  const area = client.openArea(terminalArea, { project });
  try {
    const { terminals } = await area.call('list');
    // An open one is brought to the front.
    const running = terminals.find(
      ({ runs, state }) => state.type === 'running' && runs.type === 'session' && runs.session === session,
    );
    const item = running?.id ?? newId();
    await area.call('create', { terminal: item, runs: { type: 'session', session }, size: SIZE });
    openCard('terminal', { project, session, item });
  } finally {
    area.close();
  }
}
