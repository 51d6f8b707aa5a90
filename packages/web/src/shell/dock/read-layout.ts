/** Parses a stored layout (D1): migrates older versions and drops unknown cards. Pure. */
import { kindByName } from '../../kit/card-kinds.ts';
import { type DockCard, type Group, groupsOf, type Layout, type Node } from '../../kit/layout/layout.ts';
import { tidy } from '../../kit/layout/tidy-layout.ts';
import { layoutSchema } from './layout-schema.ts';
import { migrateLayout } from './migrate-layout.ts';

/** Undefined if it cannot be read. */
export function readLayout(raw: unknown): Layout | undefined {
  const read = layoutSchema.safeParse(migrateLayout(raw));
  if (!read.success) return undefined;
  const { cards, root, floats, active, maximised, closed } = read.data;
  const isKnown = ({ kind }: Pick<DockCard, 'kind'>) => kindByName(kind) !== undefined;
  const seen = new Set<string>();
  const known = new Set(cards.filter(isKnown).map((card) => card.id));
  const once = (group: Group): Group => {
    const mine = group.cards.filter((card) => known.has(card) && !seen.has(card));
    for (const card of mine) seen.add(card);
    return { ...group, cards: mine, front: mine.includes(group.front) ? group.front : (mine[0] ?? '') };
  };
  const walk = (node: Node): Node =>
    node.type === 'group' ? once(node) : { ...node, children: node.children.map(walk) };
  const layout = tidy({
    version: 3,
    cards: [],
    root: root && walk(root as Node),
    floats: floats.map((float) => ({ ...float, group: once(float.group as Group) })),
    active,
    maximised,
    closed: closed.filter(({ card }) => isKnown(card)) as Layout['closed'],
  });
  const placed = new Set(groupsOf(layout).flatMap((group) => group.cards));
  return { ...layout, cards: (cards as readonly DockCard[]).filter(({ id }) => placed.has(id)) };
}
