/**
 * Opens the session in the agent's own terminal interface (A41). The server makes sure that only one of them
 * writes.
 */
import type { Client } from '@tugdeck/client/client';
import type { FeedChannel } from '@tugdeck/client/feeds';
import { newId } from '@tugdeck/client/new-id';
import { terminalListSchema } from '@tugdeck/protocol/terminal/terminal-feed';
import { openCard } from '../../../app/dock/open-card.ts';

const SIZE = { cols: 80, rows: 24 };

export async function openAgentTerminal(client: Client, session: string): Promise<void> {
  const project = client.deck.get()?.sessions.find(({ id }) => id === session)?.project;
  if (project === undefined) return;
  const feed = client.openFeed('terminal', { project });
  try {
    // An open one is brought to the front.
    const item = (await runningFor(feed, session)) ?? newId();
    await feed.request({ type: 'create', terminal: item, runs: { type: 'session', session }, size: SIZE });
    openCard('terminal', { project, session, item });
  } finally {
    feed.close();
  }
}

async function runningFor(feed: FeedChannel, session: string): Promise<string | undefined> {
  const { terminals } = terminalListSchema.parse(await feed.request({ type: 'list' }));
  return terminals.find(
    ({ runs, state }) => state.type === 'running' && runs.type === 'session' && runs.session === session,
  )?.id;
}
