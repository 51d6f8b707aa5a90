/**
 * Renders the layout (D1): tab strips, cards and sashes. Cards are siblings in an order that never changes and are
 * positioned by style only, so that moving or hiding a card destroys nothing in it.
 */
import { type ReactNode, useMemo } from 'react';
import { layout } from '../../kit/layout/dock.ts';
import { flattened } from '../../kit/layout/layout.ts';
import { PHONE, TOUCH, useMedia } from '../../kit/use-media.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { CardHost } from './CardHost.tsx';
import { GroupFrame } from './GroupFrame.tsx';
import { bodyOf, type PlacedGroup, placeLayout, STRIP, TOUCH_STRIP } from './place-layout.ts';
import { Sash } from './Sash.tsx';
import { visibleCards } from './visible-cards.ts';

export interface DockProps {
  /** Home is shown instead: the cards stay, and none of them is visible. */
  isCovered: boolean;
  /** Shown at the right end of the topmost strip, on a phone. */
  end: ReactNode;
  onPick: (group: string) => void;
  empty: ReactNode;
}

export function Dock({ isCovered, end, onPick, empty }: DockProps) {
  const now = useReadable(layout);
  const isPhone = useMedia(PHONE);
  const shown = useMemo(() => (isPhone ? flattened(now) : now), [now, isPhone]);
  const strip = useMedia(`${TOUCH}, ${PHONE}`) ? TOUCH_STRIP : STRIP;
  const { groups, sashes } = useMemo(() => placeLayout(shown, strip), [shown, strip]);
  const homes = new Map<string, PlacedGroup>();
  for (const placed of groups) for (const card of placed.group.cards) homes.set(card, placed);
  const seen = isCovered ? [] : visibleCards({ groups });
  const hasTop = groups.some(({ isTopRight }) => isTopRight);
  return (
    <div className="dock" data-covered={isCovered} inert={isCovered}>
      {groups.map((placed) => (
        <GroupFrame
          key={placed.group.id}
          placed={placed}
          isActive={placed.group.id === shown.active}
          isMaximised={placed.group.id === shown.maximised}
          isAlone={groups.length === 1}
          isPhone={isPhone}
          end={placed.isTopRight ? end : null}
          onPick={onPick}
        />
      ))}
      {hasTop || !end ? null : (
        <div className="dock-top">
          <span className="strip-space" />
          {end}
        </div>
      )}
      {now.root ? null : (
        <div className="dock-empty" data-bare={!end}>
          {empty}
        </div>
      )}
      {now.cards.map((card) => {
        const home = homes.get(card.id);
        const isFront = home?.group.front === card.id;
        return (
          <CardHost
            key={card.id}
            card={card}
            box={home && bodyOf(home.box, strip)}
            layer={home?.layer ?? 0}
            isVisible={seen.includes(card.id)}
            isActive={isFront && home?.group.id === shown.active}
          />
        );
      })}
      {sashes.map((sash) => (
        <Sash key={`${sash.path.join('.')}-${sash.at}`} sash={sash} />
      ))}
    </div>
  );
}
