/** Puts what a terminal shows into the message that the user is writing to the project's agent; sends nothing. */
import type { Client } from '@tugdeck/client/client';
import { addToDraft } from '../../app/add-to-draft.ts';
import { layout } from '../../app/dock/dock.ts';

/** Gives what to say to the user. */
export function handToAgent(client: Client, project: string | undefined, output: string): string {
  if (output === '') return 'There is nothing to hand over.';
  const session = sessionFor(client, project);
  if (session === undefined) return 'There is no session in this project yet.';
  addToDraft(client, session, fenced(output));
  return 'Put into the message.';
}

/** The one whose card is open, else the one that was used last. */
function sessionFor(client: Client, project: string | undefined): string | undefined {
  const sessions = (client.deck.get()?.sessions ?? [])
    .filter((row) => row.project === project && !row.archived)
    .sort((a, b) => b.activeAt - a.activeAt);
  const isOpen = (id: string) =>
    layout.get().cards.some(({ kind, params }) => kind === 'conversation' && params.session === id);
  return (sessions.find(({ id }) => isOpen(id)) ?? sessions[0])?.id;
}

/** A fence longer than any in the text, so that nothing in it ends it. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}\n`;
}
