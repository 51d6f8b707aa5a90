/** Opens a session at a search hit. If its directory is not a project yet, it becomes one. */
import type { Client } from '@tugdeck/client/client';
import { ClientError } from '@tugdeck/client/client-error';
import type { Hit } from '@tugdeck/protocol/search/search';
import { hashOfEntry, hashOfSession } from '../../kit/route.ts';

export async function openHit(client: Client, { session, entry, directory }: Hit): Promise<void> {
  const isListed = client.deck.get()?.sessions.some(({ id }) => id === session);
  if (!isListed) await addProject(client, directory);
  location.hash = entry === undefined ? hashOfSession(session) : hashOfEntry(session, entry);
}

async function addProject(client: Client, path: string): Promise<void> {
  try {
    await client.request({ type: 'project.add', path });
  } catch (error) {
    if (!(error instanceof ClientError && error.code === 'PROJECT_DUPLICATE')) throw error;
  }
}
