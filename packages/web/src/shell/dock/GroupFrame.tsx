/** The tab strip of a group: tabs, the button that opens a card, and the group's menu. */
import { Plus } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from 'react';
import { changeLayout, layout } from '../../kit/layout/dock.ts';
import { bringForward } from '../../kit/layout/edit-layout.ts';
import { focusCard } from '../../kit/layout/focus-card.ts';
import { cardById, type DockCard } from '../../kit/layout/layout.ts';
import { closeCardById } from '../../kit/layout/open-card.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { useReadable } from '../../kit/use-readable.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { CardTab } from './CardTab.tsx';
import { cssBox, type PlacedGroup } from './place-layout.ts';

const GroupMenu = lazyComponent(() => import('./GroupMenu.tsx').then((part) => part.GroupMenu));
const PhoneTitle = lazyComponent(() => import('./PhoneTitle.tsx').then((part) => part.PhoneTitle));
const OverflowMenu = lazyComponent(() => import('./OverflowMenu.tsx').then((part) => part.OverflowMenu));

export interface GroupFrameProps {
  placed: PlacedGroup;
  isActive: boolean;
  isMaximised: boolean;
  isAlone: boolean;
  /** On a phone one card is shown, so nothing can be split or moved. */
  isPhone: boolean;
  end: ReactNode;
  onPick: (group: string) => void;
}

export function GroupFrame(props: GroupFrameProps) {
  const { placed, isActive, isMaximised, isAlone, isPhone, end, onPick } = props;
  const now = useReadable(layout);
  const { group, box, float, layer, collapsed } = placed;
  const tabs = useRef<HTMLDivElement>(null);
  const cards = group.cards
    .map((id) => cardById(now, id))
    .filter((card): card is DockCard => card !== undefined);
  const show = (id: string) => changeLayout((old) => bringForward(old, id));
  const onKeyDown = (event: KeyboardEvent, id: string) => {
    const at = group.cards.indexOf(id);
    const isVertical = collapsed === 'to-column';
    const isNext = event.key === (isVertical ? 'ArrowDown' : 'ArrowRight');
    const isBefore = event.key === (isVertical ? 'ArrowUp' : 'ArrowLeft');
    const next = isNext ? group.cards[at + 1] : isBefore ? group.cards[at - 1] : undefined;
    if (event.key === 'Delete') closeFocused(group.cards, id);
    else if (next !== undefined && !event.altKey) {
      event.preventDefault();
      show(next);
      document.getElementById(`tab-${next}`)?.focus();
    }
  };
  const onFloatDown = (event: PointerEvent<HTMLElement>) => {
    if (!float || event.button !== 0 || event.target !== event.currentTarget) return;
    const { nativeEvent } = event;
    void import('./drag-float.ts').then(({ moveByPointer }) => moveByPointer(group.id, float, nativeEvent));
  };
  const onCornerDown = ({ nativeEvent, button }: PointerEvent<HTMLElement>) => {
    if (!float || button !== 0) return;
    void import('./drag-float.ts').then(({ sizeByPointer }) => sizeByPointer(group.id, float, nativeEvent));
  };
  if (isPhone)
    return (
      <div className="dock-group" data-group={group.id} hidden={placed.isHidden} style={cssBox(box)}>
        <PhoneTitle group={group} cards={cards} end={end} onPick={() => onPick(group.id)} />
      </div>
    );
  return (
    <div
      className="dock-group"
      data-group={group.id}
      data-active={isActive && !isAlone}
      data-collapsed={collapsed}
      data-floating={float !== undefined}
      hidden={placed.isHidden}
      style={{ ...cssBox(box), zIndex: layer * 2 }}
    >
      <div className="strip" onPointerDown={onFloatDown}>
        <div
          ref={tabs}
          className="tabs"
          role="tablist"
          aria-label="Open tabs"
          aria-orientation={collapsed === 'to-column' ? 'vertical' : 'horizontal'}
        >
          {cards.map((card) => (
            <CardTab
              key={card.id}
              card={card}
              isFront={card.id === group.front}
              onShow={() => {
                show(card.id);
                focusCard(card.id);
              }}
              onKeyDown={(event) => onKeyDown(event, card.id)}
            />
          ))}
        </div>
        <OverflowMenu group={group} cards={cards} tabs={tabs} />
        <IconButton icon={Plus} label="New tab" className="strip-add" onClick={() => onPick(group.id)} />
        <span className="strip-more-room">
          <GroupMenu
            group={group}
            isMaximised={isMaximised}
            isFloating={float !== undefined}
            isAlone={isAlone}
            isTemporary={cardById(now, group.front)?.isTemporary}
          />
        </span>
      </div>
      {float && collapsed === 'no' ? (
        <div className="float-corner" onPointerDown={onCornerDown} aria-hidden="true" />
      ) : null}
    </div>
  );
}

/** Moves the focus to the tab that takes its place. */
function closeFocused(cards: readonly string[], id: string): void {
  const at = cards.indexOf(id);
  const next = cards[at + 1] ?? cards[at - 1];
  closeCardById(id);
  if (next !== undefined) document.getElementById(`tab-${next}`)?.focus();
}
