import { useClient } from '../../kit/client-context.tsx';
import { layout } from '../../kit/layout/dock.ts';
import type { DockCard } from '../../kit/layout/layout.ts';
import { reviewed } from '../../kit/reviewed.ts';
import { sessionState, stateText } from '../../kit/session-state.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { contextToShow } from './card-title.ts';

/** The second line of a tab in a menu: the state of a conversation, otherwise what distinguishes the tab from others. */
export function useTabDetail(): (card: DockCard) => string | undefined {
  const deck = useReadable(useClient().deck);
  const all = useReadable(layout).cards;
  const done = useReadable(reviewed);
  return (card) => {
    const row = deck?.sessions.find(({ id }) => id === card.params.session);
    if (card.kind !== 'conversation' || !row) return contextToShow(card, all, deck);
    return stateText(row, sessionState(row, { now: Date.now(), reviewed: done[row.id] }));
  };
}
