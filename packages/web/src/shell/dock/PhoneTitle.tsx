/** The title bar of the card in front, on a phone: back to Home, title and place, open tabs, the card's own buttons. */
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { ChevronLeft, GitBranch } from 'lucide-react';
import type { ReactNode } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import type { DockCard, Group } from '../../kit/layout/layout.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { phoneTitleSlot } from '../../kit/phone-title.tsx';
import { branchOf, placeOf } from '../../kit/place.ts';
import { showHome } from '../../kit/route.ts';
import { useSessionState } from '../../kit/use-session-state.ts';
import { useSlowReadable } from '../../kit/use-slow-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Icon } from '../../ui/Icon.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { StateGlyph } from '../../ui/StateGlyph.tsx';
import { StateTime } from '../../ui/StateTime.tsx';
import { cardTitle } from './card-title.ts';

const CardSwitcher = lazyComponent(() => import('./CardSwitcher.tsx').then((part) => part.CardSwitcher));

export interface PhoneTitleProps {
  group: Group;
  cards: readonly DockCard[];
  end: ReactNode;
  onPick: () => void;
}

export function PhoneTitle({ group, cards, end, onPick }: PhoneTitleProps) {
  const deck = useSlowReadable(useClient().deck, 500);
  const card = cards.find(({ id }) => id === group.front);
  const row = deck?.sessions.find(({ id }) => id === (card?.params.session ?? card?.params.of));
  const project = deck?.projects.find(({ id }) => id === (row?.project ?? card?.params.project));
  const branch = branchOf(deck, row ? placeOf(row) : card?.params.project);
  return (
    <div className="strip phone-title">
      <IconButton icon={ChevronLeft} label="Back" onClick={showHome} />
      <div className="phone-title-text">
        {/* Names the card, as its tab does on a wider screen. */}
        <span id={`tab-${group.front}`} className="truncate phone-title-name">
          {card ? cardTitle(card, deck) : ''}
        </span>
        <span className="phone-title-place">
          {project ? <span className="truncate">{visibleText(project.name)}</span> : null}
          {branch === undefined ? null : (
            <span className="phone-title-branch">
              <Icon icon={GitBranch} size={12} />
              <span className="truncate">{visibleText(branch)}</span>
            </span>
          )}
          {row ? <RowState row={row} /> : null}
        </span>
      </div>
      {cards.length > 1 ? <CardSwitcher group={group} cards={cards} onPick={onPick} /> : null}
      <span ref={phoneTitleSlot.set} className="phone-title-slot" />
      {end}
    </div>
  );
}

function RowState({ row }: { row: SessionRow }) {
  const state = useSessionState(row);
  return (
    <span className="phone-title-state">
      <StateGlyph state={state} />
      <StateTime row={row} state={state} className="phone-title-time" />
    </span>
  );
}
