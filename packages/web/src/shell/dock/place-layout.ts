/**
 * Computes the box of each group and sash as CSS lengths (a share of the dock plus pixels), so that resizing the
 * window needs no script. Pure.
 */
import type { FloatBox, Group, Layout, Node } from '../../kit/layout/layout.ts';

/** Height of the tab strip, the only visible part of a collapsed group. Larger on touch screens. */
export const STRIP = 36;
export const TOUCH_STRIP = 44;

export interface Length {
  readonly share: number;
  readonly px: number;
}

export interface Box {
  readonly left: Length;
  readonly top: Length;
  readonly width: Length;
  readonly height: Length;
}

export interface PlacedGroup {
  readonly group: Group;
  readonly box: Box;
  readonly isHidden: boolean;
  readonly float: FloatBox | undefined;
  /** 0 for docked groups. */
  readonly layer: number;
  /** Collapsed to a column of icons, or to its tab strip. */
  readonly collapsed: 'no' | 'to-strip' | 'to-column';
  readonly isTopLeft: boolean;
  readonly isTopRight: boolean;
}

export interface PlacedSash {
  readonly path: readonly number[];
  readonly at: number;
  readonly direction: 'row' | 'column';
  /** The sash line, without width or height. */
  readonly box: Box;
  /** Combined length of both sides, to convert pixels to shares. */
  readonly both: Length;
  /** The share of the first side, and of both. */
  readonly first: number;
  readonly sum: number;
}

export interface PlacedLayout {
  readonly groups: readonly PlacedGroup[];
  readonly sashes: readonly PlacedSash[];
}

const NONE: Length = { share: 0, px: 0 };
const ALL: Length = { share: 1, px: 0 };
const WHOLE: Box = { left: NONE, top: NONE, width: ALL, height: ALL };

export function placeLayout({ root, floats, maximised }: Layout, strip = STRIP): PlacedLayout {
  const groups: PlacedGroup[] = [];
  const sashes: PlacedSash[] = [];
  const isCovered = maximised !== undefined;
  const add = (group: Group, box: Box, rest: Partial<PlacedGroup>) => {
    const isMaximised = group.id === maximised;
    groups.push({
      group,
      box: isMaximised ? WHOLE : box,
      isHidden: false,
      float: undefined,
      layer: 0,
      isTopLeft: isMaximised,
      isTopRight: isMaximised,
      ...rest,
      collapsed: isMaximised ? 'no' : (rest.collapsed ?? 'no'),
    });
  };
  const walk = (node: Node, box: Box, path: readonly number[], inside: 'row' | 'column' | undefined) => {
    if (node.type === 'group') {
      const collapsed = !node.isCollapsed ? 'no' : inside === 'row' ? 'to-column' : 'to-strip';
      const isMaximised = node.id === maximised;
      add(node, box, {
        collapsed,
        isHidden: isCovered && !isMaximised,
      });
      return;
    }
    const isRow = node.direction === 'row';
    const isFixed = node.children.map((child) => child.type === 'group' && child.isCollapsed === true);
    const fixed = isFixed.filter(Boolean).length * strip;
    const open = node.sizes.reduce((sum, size, at) => sum + (isFixed[at] ? 0 : size), 0) || 1;
    const room = plus(isRow ? box.width : box.height, { share: 0, px: -fixed });
    let at = isRow ? box.left : box.top;
    node.children.forEach((child, index) => {
      const share = (node.sizes[index] ?? 0) / open;
      const size = isFixed[index] ? { share: 0, px: strip } : times(room, share);
      walk(
        child,
        isRow ? { ...box, left: at, width: size } : { ...box, top: at, height: size },
        [...path, index],
        node.direction,
      );
      at = plus(at, size);
      const isLast = index === node.children.length - 1;
      if (isLast || isFixed[index] || isFixed[index + 1] || isCovered) return;
      const first = node.sizes[index] ?? 0;
      const sum = first + (node.sizes[index + 1] ?? 0);
      sashes.push({
        path,
        at: index,
        direction: node.direction,
        box: isRow ? { ...box, left: at, width: NONE } : { ...box, top: at, height: NONE },
        both: times(room, sum / open),
        first,
        sum,
      });
    });
  };
  if (root) walk(root, WHOLE, [], undefined);
  if (!isCovered) markCorners(groups);
  floats.forEach(({ group, ...float }, index) => {
    const box: Box = {
      left: { share: float.x, px: 0 },
      top: { share: float.y, px: 0 },
      width: { share: float.width, px: 0 },
      height: group.isCollapsed ? { share: 0, px: strip } : { share: float.height, px: 0 },
    };
    add(group, box, { float, layer: index + 1, collapsed: group.isCollapsed ? 'to-strip' : 'no' });
  });
  return { groups, sashes };
}

/** Marks the outermost top groups. A group collapsed to a column has no room for more buttons. */
function markCorners(groups: PlacedGroup[]): void {
  const tops = groups.filter(({ box, collapsed }) => isNone(box.top) && collapsed !== 'to-column');
  // Tree order is left to right.
  const ends = { isTopLeft: tops[0], isTopRight: tops.at(-1) };
  groups.forEach((placed, at) => {
    groups[at] = {
      ...placed,
      isTopLeft: placed === ends.isTopLeft,
      isTopRight: placed === ends.isTopRight,
    };
  });
}

/** The part of a group's box below the tab strip. */
export function bodyOf({ top, height, ...box }: Box, strip = STRIP): Box {
  return { ...box, top: plus(top, { share: 0, px: strip }), height: plus(height, { share: 0, px: -strip }) };
}

export function css({ share, px }: Length): string {
  return `calc(${round(share * 100)}% + ${round(px)}px)`;
}

export function cssBox({ left, top, width, height }: Box): Record<keyof Box, string> {
  return { left: css(left), top: css(top), width: css(width), height: css(height) };
}

export function pixels({ share, px }: Length, whole: number): number {
  return share * whole + px;
}

const round = (value: number) => Math.round(value * 10_000) / 10_000;
const plus = (a: Length, b: Length): Length => ({ share: a.share + b.share, px: a.px + b.px });
const times = (a: Length, by: number): Length => ({ share: a.share * by, px: a.px * by });
const isNone = ({ share, px }: Length) => Math.abs(share) < 1e-9 && Math.abs(px) < 1e-6;
