/** The tour (D45): a session with the demo agent that begins at once, and ends with its changes in the panel. */
import type { Client } from '@tugdeck/client/client';
import { newId } from '@tugdeck/client/new-id';
import { route, showSession } from './route.ts';
import { showPanel } from './session-panel.ts';

const AGENT = 'demo';
const PROMPT = 'tour';

export async function startTour(client: Client, project: string): Promise<void> {
  const session = newId();
  await client.request({ type: 'session.create', session, project, agent: AGENT });
  showSession(session);
  const channel = client.conversation(session);
  await channel.send({ kind: 'prompt.send', text: PROMPT });
  channel.release();
  whenChanged(client, session, () => {
    if (route.get() === session) showPanel(session, 'changes');
  });
}

/** Runs once, when a turn of the session ended that changed files. */
function whenChanged(client: Client, session: string, run: () => void): void {
  const off = client.deck.subscribe(() => {
    const summary = client.deck.get()?.sessions.find(({ id }) => id === session)?.summary;
    if (summary?.turn !== 'idle' || !summary.lastTurn) return;
    off();
    if ((summary.changes?.files ?? 0) > 0) run();
  });
}
