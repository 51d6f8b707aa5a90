/** All tabs of a group with their states, when they don't fit into its strip. */
import { ChevronDown } from 'lucide-react';
import { type RefObject, useEffect, useState } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { plural } from '../../kit/format.ts';
import type { DockCard, Group } from '../../kit/layout/layout.ts';
import { showCard } from '../../kit/layout/open-card.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { cardTitle } from './card-title.ts';
import { useTabDetail } from './use-tab-detail.ts';

/** The width that the button takes from the tabs. */
const BUTTON = 48;

export interface OverflowMenuProps {
  group: Group;
  cards: readonly DockCard[];
  tabs: RefObject<HTMLElement | null>;
}

export function OverflowMenu({ group, cards, tabs }: OverflowMenuProps) {
  const [isOver, setOver] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each tab changes the width
  useEffect(() => {
    const list = tabs.current;
    if (!list) return;
    const measure = () => setOver((was) => list.scrollWidth > list.clientWidth + (was ? BUTTON : 0));
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(list);
    return () => watch.disconnect();
  }, [tabs, cards.length]);
  return isOver ? <TabMenu group={group} cards={cards} /> : null;
}

function TabMenu({ group, cards }: Omit<OverflowMenuProps, 'tabs'>) {
  const deck = useReadable(useClient().deck);
  const detail = useTabDetail();
  return (
    <Menu
      label={plural(cards.length, 'open tab')}
      title="Open tabs"
      className="button strip-all"
      choices={cards.map((card) => ({
        id: card.id,
        label: cardTitle(card, deck),
        detail: detail(card),
        checked: card.id === group.front,
        onChoose: () => showCard(card.id),
      }))}
    >
      <span aria-hidden="true">{cards.length}</span>
      <Icon icon={ChevronDown} size={12} />
    </Menu>
  );
}
