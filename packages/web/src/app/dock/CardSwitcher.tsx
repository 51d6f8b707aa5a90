/** Card switcher for phones, where one card is visible at a time: lists the open cards and opens others. */

import { plural } from '../../ui/format.ts';
import { Menu, type MenuChoice } from '../../ui/Menu.tsx';
import { useReadable } from '../../ui/use-readable.ts';
import { useClient } from '../client-context.tsx';
import { cardTitle, projectToShow } from './card-title.ts';
import { layout } from './dock.ts';
import { closeOthers } from './group-actions.ts';
import type { DockCard, Group } from './layout.ts';
import { closeCardById, showCard } from './open-card.ts';

export interface CardSwitcherProps {
  group: Group;
  cards: readonly DockCard[];
  onPick: () => void;
}

export function CardSwitcher({ group, cards, onPick }: CardSwitcherProps) {
  const deck = useReadable(useClient().deck);
  const all = useReadable(layout).cards;
  const choices: MenuChoice[] = [
    ...cards.map((card) => ({
      id: card.id,
      label: [cardTitle(card, deck), projectToShow(card, all, deck)].filter(Boolean).join(' · '),
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
