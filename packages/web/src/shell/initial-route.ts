/** Adds a project and shows it like one named on the command line (D12). */
import type { Client } from '@tugdeck/client/client';
import type { Deck } from '@tugdeck/protocol/wire/deck';
import { composeSession } from '../kit/new-session.ts';
import { lastActive, usableAgent } from '../kit/projects.ts';
import { showSession } from '../kit/route.ts';

/** Resolves with the project's id once it is listed. Throws the server's error. */
export async function addProject(client: Client, path: string, machine?: string): Promise<string> {
  const before = new Set(client.deck.get()?.projects.map(({ id }) => id));
  const isNew = () => client.deck.get()?.projects.find(({ id }) => !before.has(id))?.id;
  await client.request({ type: 'project.add', path, ...(machine === undefined ? {} : { machine }) });
  const found = isNew();
  if (found !== undefined) return found;
  return new Promise((resolve) => {
    const off = client.deck.subscribe(() => {
      const late = isNew();
      if (late === undefined) return;
      off();
      resolve(late);
    });
  });
}

/** Shows the last session of the project, otherwise a new one. */
export async function openProject(client: Client, deck: Deck, project: string): Promise<void> {
  const last = lastActive(deck, project);
  const agent = usableAgent(deck, project);
  if (last) showSession(last.id);
  else if (agent !== undefined) await composeSession(client, project, agent);
}
