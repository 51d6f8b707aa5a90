import type { Deck } from '@tugdeck/protocol/wire/deck';
import { visiblePath } from '../../ui/visible-text.ts';
import { titleOf } from '../projects.ts';
import { kindNamed } from './known-kinds.ts';
import type { DockCard } from './layout.ts';

/** What a card is called, on its tab and in lists of cards. */
export function cardTitle({ kind, params, title }: DockCard, deck: Deck | undefined): string {
  if (kind !== 'conversation') return visiblePath(title ?? kindNamed(kind)?.label ?? kind);
  const row = deck?.sessions.find(({ id }) => id === params.session);
  return row ? titleOf(row) : 'Session';
}
