/**
 * Keeps the layout in sync with the URL and the deck: a URL opens its session, the front session sets the URL, and
 * archived or removed sessions lose their card (D2).
 */
import type { Client } from '@tugdeck/client/client';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { changeLayout, layout } from '../../kit/layout/dock.ts';
import { forgetCard } from '../../kit/layout/edit-layout.ts';
import { focusCard } from '../../kit/layout/focus-card.ts';
import { activeCard, type DockCard } from '../../kit/layout/layout.ts';
import { openCard } from '../../kit/layout/open-card.ts';
import { wasClicked } from '../../kit/layout/temporary.ts';
import { atHome, hashOfSession, route, sessionOfHash } from '../../kit/route.ts';
import { fillCards } from './fill-cards.ts';

/**
 * Opens the session in the URL. After a reload another card may have been in front; the URL then only names the
 * last conversation.
 */
export function openRoute({ isReload }: { readonly isReload: boolean }): void {
  const session = sessionOfHash(location.hash);
  const active = activeCard(layout.get());
  const isConversation = active?.kind === 'conversation';
  if (session === undefined || (isConversation && active.params.session === session)) return;
  if (isReload && active && !isConversation) return;
  const card = openCard('conversation', { session }, undefined, { isTemporary: wasClicked(session) });
  if (card !== undefined) focusCard(card);
}

/** Called before React renders: an effect would miss a URL change during the first render. */
export function followAddress(): void {
  route.subscribe(() => openRoute({ isReload: false }));
}

export function followDeck(client: Client): () => void {
  let known = new Set<string>();
  let isChecked = false;

  const nameActive = () => {
    const card = activeCard(layout.get());
    if (atHome.get()) return;
    if (card && card.kind !== 'conversation') return;
    const linked = sessionOfHash(location.hash);
    // A link to a missing session stays in the URL, so that the empty deck can report it.
    if (!card && linked !== undefined && !known.has(linked)) return;
    if (linked !== card?.params.session) location.hash = hashOfSession(card?.params.session);
  };
  const closeGone = () => {
    const deck = client.deck.get();
    // A cached deck may be older than the layout, and a long list starts with its newest rows only.
    if (!deck || deck.more || client.status.get().state !== 'online') return;
    const isListed = (row: SessionRow) => !row.archived && row.trashedAt === undefined;
    const listed = new Set(deck.sessions.filter(isListed).map(({ id }) => id));
    // A tab of a worktree that was a project has the id of its workspace now.
    const projects = new Set([...deck.projects, ...(deck.workspaces ?? [])].map(({ id }) => id));
    const isGone = ({ params: { session, project } }: DockCard) => {
      if (session === undefined) return project !== undefined && !projects.has(project);
      // A new session may be open before it is listed.
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
