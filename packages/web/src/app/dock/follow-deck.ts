/**
 * Keeps the layout in step with the address and with the deck: an address names a session and opens it, the session
 * in front names the address, and what was archived or removed loses its card (D2).
 */
import type { Client } from '@tugdeck/client/client';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { hashOfSession, route, sessionOfHash } from '../route.ts';
import { changeLayout, layout } from './dock.ts';
import { forgetCard } from './edit-layout.ts';
import { fillCards } from './fill-cards.ts';
import { focusCard } from './focus-card.ts';
import { activeCard, type DockCard } from './layout.ts';
import { openCard } from './open-card.ts';

/**
 * Opens what the address names. After a reload another card may have been in front: then the address only tells
 * which conversation was last.
 */
export function openRoute({ isReload }: { readonly isReload: boolean }): void {
  const session = sessionOfHash(location.hash);
  const active = activeCard(layout.get());
  const isConversation = active?.kind === 'conversation';
  if (session === undefined || (isConversation && active.params.session === session)) return;
  if (isReload && active && !isConversation) return;
  const card = openCard('conversation', { session });
  if (card !== undefined) focusCard(card);
}

/** From the first moment of the page: an address that changes while React still draws it would be missed by an effect. */
export function followAddress(): void {
  route.subscribe(() => openRoute({ isReload: false }));
}

export function followDeck(client: Client): () => void {
  let known = new Set<string>();
  let isChecked = false;

  const nameActive = () => {
    const card = activeCard(layout.get());
    if (card && card.kind !== 'conversation') return;
    const linked = sessionOfHash(location.hash);
    // A link to what is gone stays, so that the empty deck can say so.
    if (!card && linked !== undefined && !known.has(linked)) return;
    if (linked !== card?.params.session) location.hash = hashOfSession(card?.params.session);
  };
  const closeGone = () => {
    const deck = client.deck.get();
    // A deck from the cache may be older than the layout, and of a long list the newest rows come first.
    if (!deck || deck.more || client.status.get().state !== 'online') return;
    const isListed = (row: SessionRow) => !row.archived && row.trashedAt === undefined;
    const listed = new Set(deck.sessions.filter(isListed).map(({ id }) => id));
    const projects = new Set(deck.projects.map(({ id }) => id));
    const isGone = ({ params: { session, project } }: DockCard) => {
      if (session === undefined) return project !== undefined && !projects.has(project);
      // One that was just made may be open before it is listed.
      return !listed.has(session) && (known.has(session) || !isChecked);
    };
    changeLayout((old) => {
      const left = old.cards.filter(isGone).reduce((now, { id }) => forgetCard(now, id), old);
      return fillCards(left, deck);
    });
    known = listed;
    isChecked = true;
  };

  const offs = [
    layout.subscribe(nameActive),
    client.deck.subscribe(closeGone),
    client.status.subscribe(closeGone),
  ];
  nameActive();
  closeGone();
  return () => {
    for (const off of offs) off();
  };
}
