/**
 * Simplifies a layout: no empty group, no split with one child, no split inside a split of the same direction.
 * Pure.
 */
import { groupsOf, type Layout, type Node, type Split } from './layout.ts';

export function tidy(layout: Layout): Layout {
  const root = layout.root && tidyNode(layout.root);
  const floats = layout.floats.filter(({ group }) => group.cards.length > 0);
  const groups = groupsOf({ root, floats });
  const isThere = (id: string | undefined) => groups.some((group) => group.id === id);
  return {
    ...layout,
    root,
    floats,
    active: isThere(layout.active) ? layout.active : groups[0]?.id,
    maximised: isThere(layout.maximised) ? layout.maximised : undefined,
  };
}

export function withChildren(split: Split, children: readonly Node[]): Split {
  return children.every((child, at) => child === split.children[at]) ? split : { ...split, children };
}

function tidyNode(node: Node): Node | undefined {
  if (node.type === 'group') return node.cards.length > 0 ? node : undefined;
  const parts = node.children.flatMap((child, at) => {
    const kept = tidyNode(child);
    const size = node.sizes[at] ?? 0;
    if (!kept) return [];
    if (kept.type === 'split' && kept.direction === node.direction) {
      return kept.children.map((inner, each) => ({ child: inner, size: size * (kept.sizes[each] ?? 0) }));
    }
    return [{ child: kept, size }];
  });
  if (parts.length < 2) return parts[0]?.child;
  const all = parts.reduce((sum, { size }) => sum + size, 0);
  const isOdd = !(all > 0);
  return {
    ...node,
    children: parts.map(({ child }) => child),
    sizes: parts.map(({ size }) => (isOdd ? 1 / parts.length : size / all)),
  };
}
