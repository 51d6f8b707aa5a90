/** Actions for a group and its front card, for the menu, the palette and keys. */
import { newId } from '@tugdeck/client/new-id';
import { changeLayout } from '../../kit/layout/dock.ts';
import { moveCard, toggleCollapsed, toggleMaximized } from '../../kit/layout/edit-layout.ts';
import { FLOAT_BOX, type Group, type Place, type Side } from '../../kit/layout/layout.ts';
import { closeCardById } from '../../kit/layout/open-card.ts';
import { keepOpen } from '../../kit/layout/temporary.ts';
import type { MenuChoice } from '../../kit/offered-actions.ts';

export interface GroupFacts {
  readonly isMaximised: boolean;
  readonly isFloating: boolean;
  readonly isAlone: boolean;
  /** Whether its front card is (D48). */
  readonly isTemporary?: boolean | undefined;
}

export function splitOff(group: Group, side: Side): void {
  move(group.front, { beside: group.id, side });
}

export function floatFront(group: Group): void {
  move(group.front, { float: FLOAT_BOX });
}

export function dockFront(group: Group): void {
  move(group.front, { edge: 'right' });
}

export function closeOthers({ cards, front }: Group): void {
  for (const card of cards) if (card !== front) closeCardById(card);
}

function move(card: string, place: Place): void {
  changeLayout((old) => moveCard(old, card, place, newId()));
}

export function groupActions(
  group: Group,
  { isMaximised, isFloating, isAlone, isTemporary = false }: GroupFacts,
): readonly MenuChoice[] {
  const canSplit = group.cards.length > 1 && !isFloating;
  const act = (id: string, label: string, onChoose: () => void): MenuChoice => ({ id, label, onChoose });
  return [
    ...(canSplit
      ? [
          act('split-right', 'Split right', () => splitOff(group, 'right')),
          act('split-below', 'Split down', () => splitOff(group, 'below')),
        ]
      : []),
    isFloating ? act('dock', 'Dock', () => dockFront(group)) : act('float', 'Float', () => floatFront(group)),
    ...(isAlone
      ? []
      : [
          act('maximise', isMaximised ? 'Restore' : 'Maximize', () =>
            changeLayout((old) => toggleMaximized(old, group.id)),
          ),
          act('collapse', group.isCollapsed ? 'Expand' : 'Collapse', () =>
            changeLayout((old) => toggleCollapsed(old, group.id)),
          ),
        ]),
    ...(isTemporary ? [act('keep', 'Keep open', () => keepOpen(group.front))] : []),
    act('close', 'Close', () => closeCardById(group.front)),
    ...(group.cards.length > 1 ? [act('close-others', 'Close others', () => closeOthers(group))] : []),
  ];
}
