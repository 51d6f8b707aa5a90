/** Card switcher for phones, where one card is visible at a time: lists the open cards and opens others. */
import { useClient } from '../../kit/client-context.tsx';
import { plural } from '../../kit/format.ts';
import type { DockCard, Group } from '../../kit/layout/layout.ts';
import { closeCardById, showCard } from '../../kit/layout/open-card.ts';
import type { MenuChoice } from '../../kit/offered-actions.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { Menu } from '../../ui/Menu.tsx';
import { cardTitle } from './card-title.ts';
import { closeOthers } from './group-actions.ts';
import { useTabDetail } from './use-tab-detail.ts';

export interface CardSwitcherProps {
  group: Group;
  cards: readonly DockCard[];
  onPick: () => void;
}

export function CardSwitcher({ group, cards, onPick }: CardSwitcherProps) {
  const deck = useReadable(useClient().deck);
  const detail = useTabDetail();
  const choices: MenuChoice[] = [
    ...cards.map((card) => ({
      id: card.id,
      label: cardTitle(card, deck),
      detail: detail(card),
      checked: card.id === group.front,
      onChoose: () => showCard(card.id),
    })),
    { id: 'open', label: 'New tab', isApart: true, onChoose: onPick },
    { id: 'close', label: 'Close tab', onChoose: () => closeCardById(group.front) },
    ...(cards.length > 1
      ? [{ id: 'close-others', label: 'Close others', onChoose: () => closeOthers(group) }]
      : []),
  ];
  return (
    <Menu
      label={plural(cards.length, 'open tab')}
      title="Open tabs"
      className="icon-button"
      choices={choices}
    >
      <span className="switcher-count" aria-hidden="true">
        {cards.length}
      </span>
    </Menu>
  );
}
