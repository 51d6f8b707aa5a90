/** Adds text to the message that a user is writing in a session, wherever its card is, and brings it forward. */
import type { Client } from '@tugdeck/client/client';
import { fillBox } from '../cards/conversation/composer/fill-box.ts';
import { layout } from './dock/dock.ts';
import { findCard, openCard } from './dock/open-card.ts';

export function addToDraft(client: Client, session: string, text: string): void {
  const written = client.draft(session).trimEnd();
  const next = written === '' ? text : `${written}\n\n${text}`;
  client.saveDraft(session, next);
  const card = findCard(layout.get(), 'conversation', { session });
  openCard('conversation', { session });
  const host = card && document.getElementById(`card-${card.id}`);
  const box = host?.querySelector<HTMLTextAreaElement>('textarea[aria-label="Message"]');
  if (box) fillBox(box, next);
}
