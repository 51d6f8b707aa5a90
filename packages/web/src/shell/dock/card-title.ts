import type { Deck } from '@tugdeck/protocol/wire/deck';
import { kindByName } from '../../kit/card-kinds.ts';
import type { DockCard } from '../../kit/layout/layout.ts';
import { folderOf } from '../../kit/place.ts';
import { titleOf } from '../../kit/projects.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';

/** The title of a card, on its tab and in lists. */
export function cardTitle({ kind, params, title }: DockCard, deck: Deck | undefined): string {
  if (kind !== 'conversation') return visiblePath(title ?? kindByName(kind)?.label ?? kind);
  const row = deck?.sessions.find(({ id }) => id === params.session);
  return row ? titleOf(row) : 'Session';
}

/**
 * The session that a card belongs to (D22), or the project's name, if a card of another project has the same title.
 * Conversations show theirs in the sidebar.
 */
export function contextToShow(
  card: DockCard,
  cards: readonly DockCard[],
  deck: Deck | undefined,
): string | undefined {
  const { kind, params } = card;
  if (kind === 'conversation') return undefined;
  const owner = params.of ?? (kind === 'review' || kind === 'timeline' ? params.session : undefined);
  const row = deck?.sessions.find(({ id }) => id === owner);
  if (row) return titleOf(row);
  if (params.project === undefined) return undefined;
  const title = cardTitle(card, deck);
  const hasNamesake = cards.some(
    (other) =>
      other.kind === kind && other.params.project !== params.project && cardTitle(other, deck) === title,
  );
  const project = hasNamesake ? folderOf(deck, params.project) : undefined;
  return project && visibleText(project.name);
}
