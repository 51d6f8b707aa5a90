/**
 * Keeps the layout in step with the address and with the deck: an address names a session and opens it, the session
 * in front names the address, and what was archived or removed loses its card (D2).
 */
import type { Client } from '@tugdeck/client/client';
import { hashOfSession, sessionOfHash } from '../route.ts';
import { changeLayout, layout } from './dock.ts';
import { forgetCard } from './edit-layout.ts';
import { focusCard } from './focus-card.ts';
import { activeCard } from './layout.ts';
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

export function followDeck(client: Client): () => void {
  let known = new Set<string>();
  let isChecked = false;

  const onHash = () => openRoute({ isReload: false });
  const nameActive = () => {
    const card = activeCard(layout.get());
    if (card && card.kind !== 'conversation') return;
    const hash = hashOfSession(card?.params.session);
    const isNamed = sessionOfHash(location.hash) === card?.params.session;
    if (!isNamed) location.hash = hash;
  };
  const closeGone = () => {
    const deck = client.deck.get();
    // A deck from the cache may be older than the layout, and of a long list the newest rows come first.
    if (!deck || deck.more || client.status.get().state !== 'online') return;
    const listed = new Set(
      deck.sessions
        .filter(({ archived, trashedAt }) => !archived && trashedAt === undefined)
        .map(({ id }) => id),
    );
    const projects = new Set(deck.projects.map(({ id }) => id));
    // One that was just made may be open before it is listed.
    const isGone = (session: string) => !listed.has(session) && (known.has(session) || !isChecked);
    changeLayout((old) =>
      old.cards
        .filter(({ params: { session, project } }) =>
          session === undefined ? project !== undefined && !projects.has(project) : isGone(session),
        )
        .reduce((now, { id }) => forgetCard(now, id), old),
    );
    known = listed;
    isChecked = true;
  };

  const offs = [
    layout.subscribe(nameActive),
    client.deck.subscribe(closeGone),
    client.status.subscribe(closeGone),
  ];
  addEventListener('hashchange', onHash);
  nameActive();
  closeGone();
  return () => {
    for (const off of offs) off();
    removeEventListener('hashchange', onHash);
  };
}
