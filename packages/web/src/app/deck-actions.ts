/** What the shell asks of the server, and what it shows after. */
import type { Client } from '@tugdeck/client/client';
import { newId } from '@tugdeck/client/new-id';
import { openCard } from './dock/open-card.ts';
import { showSession } from './route.ts';
import { withTrust } from './trust/ask-trust.ts';

/** `isWanted`: asked once it is there, whether it is still to be shown. */
export async function createSession(
  client: Client,
  project: string,
  agent: string,
  isWanted?: () => boolean,
): Promise<void> {
  const session = newId();
  await withTrust(project, agent, () => client.request({ type: 'session.create', session, project, agent }));
  if (isWanted?.() !== false) showSession(session);
}

/** Where two conversations have room side by side. */
const WIDE = 1600;

/** A copy of a session, beside it; `before`: a message of the user that it ends before, to be written anew (A6). */
export async function forkSession(
  client: Client,
  of: string,
  before?: { readonly id: string; readonly text: string },
): Promise<void> {
  const session = newId();
  const row = client.deck.get()?.sessions.find(({ id }) => id === of);
  await withTrust(row?.project ?? '', row?.agent ?? '', () =>
    client.request({ type: 'session.fork', session, of, ...(before ? { at: before.id } : {}) }),
  );
  if (before) client.saveDraft(session, before.text);
  if (innerWidth >= WIDE) openCard('conversation', { session }, 'right');
  showSession(session);
}

/** The message of whatever was thrown, for people. */
export function faultText(error: unknown): string {
  const hint = error instanceof Error && 'hint' in error ? error.hint : undefined;
  const message = error instanceof Error ? error.message : String(error);
  if (typeof hint !== 'string' || hint === '') return message;
  // Words of other programs end as they like.
  return `${message}${/[.?!…]$/.test(message) ? '' : '.'} ${hint}`;
}
