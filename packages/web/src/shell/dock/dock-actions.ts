/** The keyboard and palette actions for cards (D1, D4), by the ids of the key table. */
import { newId } from '@tugdeck/client/new-id';
import { changeLayout, layout } from '../../kit/layout/dock.ts';
import * as edit from '../../kit/layout/edit-layout.ts';
import {
  FLOAT_BOX,
  groupById,
  groupOfCard,
  type Layout,
  type Side,
  tabOrder,
} from '../../kit/layout/layout.ts';
import { closeCardById, showCard } from '../../kit/layout/open-card.ts';
import { keepOpen } from '../../kit/layout/temporary.ts';
import { neighborGroup } from './neighbor-group.ts';

const SIDES = ['left', 'right', 'above', 'below'] as const;

export function dockActions(): Readonly<Record<string, () => void>> {
  const actions: Record<string, () => void> = {
    'card.close': () => withFront((front) => closeCardById(front)),
    'card.keep': () => withFront(keepOpen),
    'card.reopen': () => {
      changeLayout((old) => edit.reopenCard(old, newId()));
      withFront(showCard);
    },
    'card.next': () => step(1),
    'card.previous': () => step(-1),
    'card.maximise': () => withGroup((id) => changeLayout((old) => edit.toggleMaximized(old, id))),
    'card.collapse': () => {
      withGroup((id) => changeLayout((old) => edit.toggleCollapsed(old, id)));
      withFront(showCard);
    },
    'card.float': () => withFront(toggleFloat),
  };
  for (let at = 1; at <= 9; at++) {
    actions[`card.${at}`] = () => {
      const card = tabOrder(layout.get())[at - 1];
      if (card !== undefined) showCard(card);
    };
  }
  for (const side of SIDES) {
    actions[`focus.${side}`] = () => focusSide(side);
    actions[`move.${side}`] = () => withFront((front) => moveTo(front, side));
  }
  for (const side of ['right', 'below'] as const) {
    actions[`split.${side}`] = () => withFront((front) => split(front, side));
  }
  return actions;
}

function active(now: Layout = layout.get()) {
  return groupById(now, now.active);
}

function withFront(run: (front: string) => void): void {
  const front = active()?.front;
  if (front !== undefined) run(front);
}

function withGroup(run: (group: string) => void): void {
  const group = active();
  if (group) run(group.id);
}

function step(by: 1 | -1): void {
  const order = tabOrder(layout.get());
  withFront((front) => {
    const next = order.at((order.indexOf(front) + by) % order.length);
    if (next !== undefined) showCard(next);
  });
}

function focusSide(side: Side): void {
  const now = layout.get();
  const next = now.active === undefined ? undefined : neighborGroup(now, now.active, side);
  if (next) showCard(next.front);
}

/** Moves the card into the neighboring group, or into a new group if there is none. */
function moveTo(card: string, side: Side): void {
  changeLayout((old) => {
    const home = groupOfCard(old, card);
    const next = home && neighborGroup(old, home.id, side);
    return edit.moveCard(old, card, next ? { group: next.id } : { edge: side, share: 0.4 }, newId());
  });
  showCard(card);
}

function split(card: string, side: Side): void {
  changeLayout((old) => {
    const home = groupOfCard(old, card);
    return home ? edit.moveCard(old, card, { beside: home.id, side }, newId()) : old;
  });
  showCard(card);
}

function toggleFloat(card: string): void {
  changeLayout((old) => {
    const home = groupOfCard(old, card);
    const isFloating = old.floats.some(({ group }) => group.id === home?.id);
    return edit.moveCard(old, card, isFloating ? { edge: 'right' } : { float: FLOAT_BOX }, newId());
  });
  showCard(card);
}
