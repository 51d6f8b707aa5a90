/**
 * All changes of a layout (D1), as functions from one layout to the next. Pure; callers pass the ids of new groups.
 */
import {
  cardById,
  type DockCard,
  type Float,
  type FloatBox,
  type Group,
  groupById,
  groupOfCard,
  groupsIn,
  groupsOf,
  type Layout,
  type Node,
  type Place,
  type Side,
  type Split,
} from './layout.ts';
import { tidy, withChildren } from './tidy-layout.ts';

const MAX_CLOSED = 20;

/** Adds a card and brings it to the front. `fresh` is the id of the group it may need. */
export function addCard(layout: Layout, card: DockCard, place: Place, fresh: string): Layout {
  const cards = cardById(layout, card.id) ? layout.cards : [...layout.cards, card];
  return put({ ...layout, cards }, card.id, place, fresh);
}

/** Adds a card in the place of the temporary one of its kind in that group (D48), which is closed for good. */
export function addTemporary(layout: Layout, card: DockCard, place: Place, fresh: string): Layout {
  const added = addCard(layout, { ...card, isTemporary: true }, place, fresh);
  const group = groupOfCard(added, card.id);
  const isReplaced = (id: string) => {
    const other = cardById(added, id);
    return id !== card.id && other?.isTemporary === true && other.kind === card.kind;
  };
  const at = group?.cards.findIndex(isReplaced) ?? -1;
  const replaced = group?.cards[at];
  return group && replaced !== undefined ? forgetCard(reorder(added, group, card.id, at), replaced) : added;
}

export function keepCard(layout: Layout, id: string): Layout {
  return changeCard(layout, id, ({ isTemporary: _, ...card }) => card);
}

/** Moves only the tab; the card keeps its state. A moved one is not temporary. */
export function moveCard(before: Layout, card: string, place: Place, fresh: string): Layout {
  const group = groupOfCard(before, card);
  if (!group) return before;
  const layout = cardById(before, card)?.isTemporary ? keepCard(before, card) : before;
  if ('beside' in place && place.beside === group.id && group.cards.length === 1) return layout;
  if ('group' in place && place.group === group.id) return reorder(layout, group, card, place.at);
  return put(take(layout, card), card, place, fresh);
}

/** The neighboring card comes to the front (D11). */
export function closeCard(layout: Layout, id: string): Layout {
  const group = groupOfCard(layout, id);
  const card = cardById(layout, id);
  if (!group || !card) return layout;
  const { isTemporary: _, ...kept } = card;
  const closed = [{ card: kept, group: group.id, at: group.cards.indexOf(id) }, ...layout.closed];
  return { ...forgetCard(layout, id), closed: closed.slice(0, MAX_CLOSED) };
}

/** Like closing, but it cannot be reopened, because its session or file no longer exists. */
export function forgetCard(layout: Layout, id: string): Layout {
  const next = take(layout, id);
  return { ...next, cards: next.cards.filter((card) => card.id !== id) };
}

export function reopenCard(layout: Layout, fresh: string): Layout {
  const [last, ...closed] = layout.closed;
  if (!last) return layout;
  const rest = { ...layout, closed };
  const home = groupById(layout, last.group);
  if (home) return addCard(rest, last.card, { group: home.id, at: last.at }, fresh);
  return addCard(rest, last.card, nearestPlace(layout), fresh);
}

/** The active group, otherwise any. */
export function nearestPlace(layout: Layout): Place {
  const group = groupById(layout, layout.active) ?? groupsOf(layout)[0];
  return group ? { group: group.id } : { edge: 'right' };
}

export function bringForward(layout: Layout, card: string): Layout {
  const group = groupOfCard(layout, card);
  if (!group) return layout;
  const shown = changeGroup(layout, group.id, (old) => ({ ...withoutCollapse(old), front: card }));
  const floats = raise(shown.floats, group.id);
  const isCovered =
    layout.maximised !== undefined && layout.maximised !== group.id && floats === shown.floats;
  return {
    ...shown,
    floats,
    active: group.id,
    maximised: isCovered ? undefined : layout.maximised,
  };
}

export function changeCard(layout: Layout, id: string, change: (card: DockCard) => DockCard): Layout {
  return { ...layout, cards: layout.cards.map((card) => (card.id === id ? change(card) : card)) };
}

export function toggleMaximized(layout: Layout, group: string): Layout {
  const isMaximised = layout.maximised === group;
  return { ...layout, active: group, maximised: isMaximised ? undefined : group };
}

/** One group of a split stays expanded, otherwise the space would be empty. */
export function toggleCollapsed(layout: Layout, id: string): Layout {
  const group = groupById(layout, id);
  if (!group) return layout;
  if (group.isCollapsed) return changeGroup(layout, id, withoutCollapse);
  const siblings = layout.root ? siblingsOf(layout.root, id) : [];
  if (!siblings.some((node) => groupsIn(node).some(({ isCollapsed }) => !isCollapsed))) return layout;
  const next = changeGroup(layout, id, (old) => ({ ...old, isCollapsed: true }));
  const open = siblings.flatMap(groupsIn).find(({ isCollapsed }) => !isCollapsed);
  const active = layout.active === id ? open?.id : layout.active;
  return { ...next, active, maximised: undefined };
}

/** `path` is the split's position as indexes from the root. Moves the sash between child `at` and the next one. */
export function moveSash(layout: Layout, path: readonly number[], at: number, share: number): Layout {
  if (!layout.root) return layout;
  const change = (node: Node, rest: readonly number[]): Node => {
    if (node.type === 'group') return node;
    const [index, ...deeper] = rest;
    if (index !== undefined) {
      const children = node.children.map((child, each) => (each === index ? change(child, deeper) : child));
      return { ...node, children };
    }
    const both = (node.sizes[at] ?? 0) + (node.sizes[at + 1] ?? 0);
    const first = Math.min(Math.max(share, 0), both);
    const sizes = node.sizes.map((size, each) =>
      each === at ? first : each === at + 1 ? both - first : size,
    );
    return { ...node, sizes };
  };
  return { ...layout, root: change(layout.root, path) };
}

export function moveFloat(layout: Layout, group: string, box: FloatBox): Layout {
  const floats = layout.floats.map((float) => (float.group.id === group ? { ...float, ...box } : float));
  return { ...layout, floats };
}

function put(layout: Layout, card: string, place: Place, fresh: string): Layout {
  const made: Group = { type: 'group', id: fresh, cards: [card], front: card };
  if ('float' in place) {
    return { ...layout, floats: [...layout.floats, { ...place.float, group: made }], active: fresh };
  }
  if ('group' in place) {
    const target = groupById(layout, place.group);
    if (!target) return put(layout, card, { edge: 'right' }, fresh);
    const at = place.at ?? target.cards.indexOf(target.front) + 1;
    const cards = [...target.cards.slice(0, at), card, ...target.cards.slice(at)];
    return bringForward(
      changeGroup(layout, target.id, (old) => ({ ...old, cards })),
      card,
    );
  }
  const share = place.share ?? 0.5;
  const opened: Layout = { ...layout, active: fresh, maximised: undefined };
  if ('edge' in place) {
    const root = layout.root ? beside(layout.root, made, place.edge, share) : made;
    return tidy({ ...opened, root });
  }
  const isDocked = layout.root !== undefined && groupsIn(layout.root).some(({ id }) => id === place.beside);
  if (!layout.root || !isDocked) return put(layout, card, { edge: place.side }, fresh);
  const root = changeNode(layout.root, place.beside, (group) => beside(group, made, place.side, share));
  return tidy({ ...opened, root });
}

function beside(node: Node, made: Group, side: Side, share: number): Split {
  const isFirst = side === 'left' || side === 'above';
  return {
    type: 'split',
    direction: side === 'left' || side === 'right' ? 'row' : 'column',
    children: isFirst ? [made, node] : [node, made],
    sizes: isFirst ? [share, 1 - share] : [1 - share, share],
  };
}

/** Removes the card from its group; the card itself stays in the layout. */
function take(layout: Layout, card: string): Layout {
  const group = groupOfCard(layout, card);
  if (!group) return layout;
  const at = group.cards.indexOf(card);
  const cards = group.cards.filter((other) => other !== card);
  const front = group.front === card ? (cards[at] ?? cards[at - 1] ?? '') : group.front;
  const order = groupsOf(layout);
  const place = order.findIndex(({ id }) => id === group.id);
  const next = (order[place - 1] ?? order[place + 1])?.id;
  const isLast = cards.length === 0;
  return tidy({
    ...changeGroup(layout, group.id, (old) => ({ ...old, cards, front })),
    active: isLast && layout.active === group.id ? next : layout.active,
    maximised: isLast && layout.maximised === group.id ? undefined : layout.maximised,
  });
}

function reorder(layout: Layout, group: Group, card: string, at = group.cards.length): Layout {
  const was = group.cards.indexOf(card);
  const others = group.cards.filter((other) => other !== card);
  const to = at > was ? at - 1 : at;
  const cards = [...others.slice(0, to), card, ...others.slice(to)];
  return bringForward(
    changeGroup(layout, group.id, (old) => ({ ...old, cards })),
    card,
  );
}

function changeGroup(layout: Layout, id: string, change: (group: Group) => Group): Layout {
  const root = layout.root && changeNode(layout.root, id, change);
  const floats = layout.floats.map((float) =>
    float.group.id === id ? { ...float, group: change(float.group) } : float,
  );
  return { ...layout, root, floats };
}

function changeNode(node: Node, id: string, change: (group: Group) => Node): Node {
  if (node.type === 'group') return node.id === id ? change(node) : node;
  return withChildren(
    node,
    node.children.map((child) => changeNode(child, id, change)),
  );
}

function withoutCollapse({ isCollapsed: _, ...group }: Group): Group {
  return group;
}

function raise(floats: readonly Float[], group: string): readonly Float[] {
  const float = floats.find((each) => each.group.id === group);
  return float ? [...floats.filter((each) => each !== float), float] : floats;
}

function siblingsOf(node: Node, id: string): readonly Node[] {
  if (node.type === 'group') return [];
  if (node.children.some((child) => child.type === 'group' && child.id === id)) {
    return node.children.filter((child) => child.type !== 'group' || child.id !== id);
  }
  return node.children.flatMap((child) => siblingsOf(child, id));
}
