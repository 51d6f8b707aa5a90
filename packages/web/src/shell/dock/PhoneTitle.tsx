/** The title bar of the card in front, on a phone: back to Home, title and place, open tabs, the card's own buttons. */
import { ChevronLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import type { DockCard, Group } from '../../kit/layout/layout.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { phoneTitleSlot } from '../../kit/phone-title.tsx';
import { showHome } from '../../kit/route.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { cardTitle } from './card-title.ts';
import { PhonePlace } from './PhonePlace.tsx';

const CardSwitcher = lazyComponent(() => import('./CardSwitcher.tsx').then((part) => part.CardSwitcher));

export interface PhoneTitleProps {
  group: Group;
  cards: readonly DockCard[];
  end: ReactNode;
  onPick: () => void;
}

export function PhoneTitle({ group, cards, end, onPick }: PhoneTitleProps) {
  const deck = useReadable(useClient().deck);
  const card = cards.find(({ id }) => id === group.front);
  const row = deck?.sessions.find(({ id }) => id === (card?.params.session ?? card?.params.of));
  return (
    <div className="strip phone-title">
      <IconButton icon={ChevronLeft} label="Back" onClick={showHome} />
      <div className="phone-title-text">
        {/* Names the card, as its tab does on a wider screen. */}
        <span id={`tab-${group.front}`} className="truncate phone-title-name">
          {card ? cardTitle(card, deck) : ''}
        </span>
        <PhonePlace deck={deck} row={row} project={card?.params.project} />
      </div>
      {cards.length > 1 ? <CardSwitcher group={group} cards={cards} onPick={onPick} /> : null}
      <span ref={phoneTitleSlot.set} className="phone-title-slot" />
      {end}
    </div>
  );
}
