/**
 * Opens and closes cards, for the sidebar, palette, picker and other cards. An open card is brought to the front
 * instead of being opened again (D2), unless its kind allows several. Closing stops nothing (D11).
 */
import { newId } from '@tugdeck/client/new-id';
import type { CardParams } from '../card-kinds.ts';
import { kindByName } from '../card-kinds.ts';
import { leaveHome } from '../route.ts';
import { changeLayout, layout } from './dock.ts';
import * as edit from './edit-layout.ts';
import { focusCard } from './focus-card.ts';
import {
  activeCard,
  cardById,
  type DockCard,
  FLOAT_BOX,
  type Group,
  groupById,
  groupsOf,
  hasSameContent,
  type Layout,
  type Place,
  type Side,
} from './layout.ts';

/** `tab`: in the active group. Default: beside cards of the same kind. */
export type Where = 'tab' | Side | 'float' | Place;

/** Share of the first card beside a conversation, which keeps two thirds (D1). */
const BESIDE_CONVERSATION = 1 / 3;

/** Narrower cards cannot be read. */
const MIN_WIDTH = 320;

/** The share of a card beside the conversation: a third of the stage, or more if that is too narrow. */
function shareBeside(): number {
  const stage = document.querySelector('.dock')?.clientWidth ?? 0;
  return stage === 0
    ? BESIDE_CONVERSATION
    : Math.min(1 / 2, Math.max(BESIDE_CONVERSATION, MIN_WIDTH / stage));
}

/** Returns the card's id; undefined if the kind does not exist. `isTemporary`: if it isn't open yet (D48). */
export function openCard(
  kind: string,
  params: CardParams,
  where?: Where,
  { isTemporary = false } = {},
): string | undefined {
  const known = kindByName(kind);
  if (!known) return undefined;
  const now = layout.get();
  const open = known.isMany && params.item === undefined ? undefined : findCard(now, kind, params);
  const id = open?.id ?? newId();
  const add = isTemporary ? edit.addTemporary : edit.addCard;
  changeLayout((old) =>
    open ? edit.bringForward(old, id) : add(old, { id, kind, params }, placeFor(old, kind, where), newId()),
  );
  uncover();
  return id;
}

/** Opens a card and gives it the focus. */
export function showCardOf(kind: string, params: CardParams, where?: Where): void {
  const id = openCard(kind, params, where);
  if (id !== undefined) focusCard(id);
}

/** Home covers the cards: opening one leaves Home. */
function uncover(): void {
  const { kind, params } = activeCard(layout.get()) ?? {};
  leaveHome(kind === 'conversation' ? params?.session : undefined);
}

export function findCard(now: Layout, kind: string, params: CardParams): DockCard | undefined {
  return now.cards.find((card) => card.kind === kind && hasSameContent(card.params, params));
}

/** Brings a card to the front and restores its focus. */
export function showCard(id: string): void {
  changeLayout((old) => edit.bringForward(old, id));
  uncover();
  focusCard(id);
}

export function closeCardById(id: string): void {
  changeLayout((old) => edit.closeCard(old, id));
}

/** The default project of a new card. */
export function activeProject(projectOfSession: (session: string) => string | undefined): string | undefined {
  const now = layout.get();
  const ordered = [activeCard(now), ...groupsOf(now).map(({ front }) => cardById(now, front))];
  for (const card of ordered) {
    const { project, session } = card?.params ?? {};
    const found = project ?? (session === undefined ? undefined : projectOfSession(session));
    if (found !== undefined) return found;
  }
  return undefined;
}

function placeFor(now: Layout, kind: string, where: Where | undefined): Place {
  if (where === 'float') return { float: FLOAT_BOX };
  if (typeof where === 'object') return where;
  const nearest = edit.nearestPlace(now);
  if (where === 'tab' || !('group' in nearest)) return nearest;
  if (where !== undefined) return { beside: nearest.group, side: where };
  const isConversation = kind === 'conversation' || kindByName(kind)?.isPage === true;
  const suits = (group: Group | undefined) =>
    group?.cards.some((card) => (cardById(now, card)?.kind === 'conversation') === isConversation);
  const active = groupById(now, now.active);
  const home = suits(active) ? active : groupsOf(now).find(suits);
  if (home) return { group: home.id };
  return isConversation
    ? { edge: 'left', share: 1 - BESIDE_CONVERSATION }
    : { edge: 'right', share: shareBeside() };
}
