/**
 * The layout model (D1): cards in tab groups, groups in a tree of splits, and floating groups. Plain data, stored
 * by the browser and the server. Pure; edit-layout.ts changes it, place-layout.ts computes positions.
 */
import type { CardParams } from '../card-kinds.ts';

/** Versions 1 and 2 were grids of fixed slots; see migrate-layout.ts. */
export const LAYOUT_VERSION = 3;

export interface DockCard {
  readonly id: string;
  readonly kind: string;
  readonly params: CardParams;
  /** The title that the card last set. */
  readonly title?: string;
  /** The next click on a session or file replaces it (D48). */
  readonly isTemporary?: boolean | undefined;
}

export interface Group {
  readonly type: 'group';
  readonly id: string;
  /** Card ids in tab order. Never empty. */
  readonly cards: readonly string[];
  readonly front: string;
  readonly isCollapsed?: boolean;
}

export interface Split {
  readonly type: 'split';
  /** `row` means side by side. */
  readonly direction: 'row' | 'column';
  /** At least two. */
  readonly children: readonly Node[];
  /** One share of the space per child; they add up to 1. */
  readonly sizes: readonly number[];
}

export type Node = Group | Split;

/** As shares of the dock, 0 to 1. */
export interface FloatBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Float extends FloatBox {
  readonly group: Group;
}

export interface ClosedCard {
  readonly card: DockCard;
  readonly group: string;
  readonly at: number;
}

export interface Layout {
  readonly version: typeof LAYOUT_VERSION;
  /** In the order they were opened, which never changes: their elements must not move. */
  readonly cards: readonly DockCard[];
  readonly root: Node | undefined;
  /** The last one is on top. */
  readonly floats: readonly Float[];
  /** The active group. */
  readonly active: string | undefined;
  readonly maximised: string | undefined;
  /** Recently closed cards, newest first. */
  readonly closed: readonly ClosedCard[];
}

export type Side = 'left' | 'right' | 'above' | 'below';

/** The target position of a card. */
export type Place =
  | { readonly group: string; readonly at?: number }
  | { readonly beside: string; readonly side: Side; readonly share?: number }
  | { readonly edge: Side; readonly share?: number }
  | { readonly float: FloatBox };

/** Default position of a floating card. */
export const FLOAT_BOX: FloatBox = { x: 0.2, y: 0.15, width: 0.6, height: 0.6 };

export const EMPTY_LAYOUT: Layout = {
  version: LAYOUT_VERSION,
  cards: [],
  root: undefined,
  floats: [],
  active: undefined,
  maximised: undefined,
  closed: [],
};

/** All groups: docked ones from left to right and top to bottom, then floating ones. */
export function groupsOf({ root, floats }: Pick<Layout, 'root' | 'floats'>): readonly Group[] {
  return [...(root ? groupsIn(root) : []), ...floats.map(({ group }) => group)];
}

export function groupsIn(node: Node): readonly Group[] {
  return node.type === 'group' ? [node] : node.children.flatMap(groupsIn);
}

export function groupById(layout: Layout, id: string | undefined): Group | undefined {
  return groupsOf(layout).find((group) => group.id === id);
}

export function groupOfCard(layout: Layout, card: string): Group | undefined {
  return groupsOf(layout).find(({ cards }) => cards.includes(card));
}

export function cardById(layout: Layout, id: string | undefined): DockCard | undefined {
  return layout.cards.find((card) => card.id === id);
}

/** The front card of the active group. */
export function activeCard(layout: Layout): DockCard | undefined {
  return cardById(layout, groupById(layout, layout.active)?.front);
}

/** Tabs of all groups in order, as Alt+1 to Alt+9 count them. */
export function tabOrder(layout: Layout): readonly string[] {
  return groupsOf(layout).flatMap(({ cards }) => cards);
}

export function hasSameContent(a: CardParams, b: CardParams): boolean {
  return a.project === b.project && a.session === b.session && a.item === b.item;
}

/** The layout for a phone: all tabs in one group, the active card in front. */
export function flattened(layout: Layout): Layout {
  const cards = tabOrder(layout);
  const front = activeCard(layout)?.id ?? cards[0];
  if (front === undefined) return layout;
  const group: Group = { type: 'group', id: 'all', cards, front };
  return { ...layout, root: group, floats: [], active: group.id, maximised: undefined };
}
