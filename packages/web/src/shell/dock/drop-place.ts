/** Finds the drop target for a pointer position. Pure. */
import type { Place, Side } from '../../kit/layout/layout.ts';

export interface Rect {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface DropGroup {
  readonly id: string;
  readonly isFloating: boolean;
  readonly box: Rect;
  readonly strip: Rect;
  readonly tabs: readonly Rect[];
  readonly layer: number;
}

export interface Drop {
  readonly place: Place;
  /** The rectangle to highlight. */
  readonly box: Rect;
}

export interface DropField {
  readonly area: Rect;
  readonly groups: readonly DropGroup[];
  /** Whether the user wants a floating group. */
  readonly isFloat: boolean;
}

/** Within this distance of the dock's edge, a card gets a whole side. */
const EDGE = 14;
const OUTER_SHARE = 1 / 3;
/** Share of a group's width or height at each side that splits it. */
const SPLIT = 0.25;

export function dropAt(
  point: { x: number; y: number },
  { area, groups, isFloat }: DropField,
): Drop | undefined {
  if (!isIn(area, point)) return undefined;
  if (isFloat) return floatAt(point, area);
  const outer = sideAt(point, area, EDGE / area.width, EDGE / area.height);
  const isInStrip = groups.some(({ strip }) => isIn(strip, point));
  if (outer && !isInStrip) {
    return { place: { edge: outer, share: OUTER_SHARE }, box: part(area, outer, OUTER_SHARE) };
  }
  const group = groups.find(({ box }) => isIn(box, point));
  if (!group) return undefined;
  if (isIn(group.strip, point)) {
    const before = group.tabs.findIndex(({ left, width }) => point.x < left + width / 2);
    const at = before < 0 ? group.tabs.length : before;
    const tab = group.tabs[at];
    const last = group.tabs.at(-1);
    const left = tab ? tab.left : last ? last.left + last.width : group.strip.left;
    return { place: { group: group.id, at }, box: { ...group.strip, left: left - 1, width: 2 } };
  }
  const side = group.isFloating ? undefined : sideAt(point, group.box, SPLIT, SPLIT);
  if (side) return { place: { beside: group.id, side }, box: part(group.box, side, 0.5) };
  return { place: { group: group.id, at: group.tabs.length }, box: group.box };
}

function floatAt({ x, y }: { x: number; y: number }, area: Rect): Drop {
  const float = {
    x: Math.min((x - area.left) / area.width, 0.7),
    y: Math.min((y - area.top) / area.height, 0.7),
    width: 0.45,
    height: 0.5,
  };
  const box = {
    left: area.left + float.x * area.width,
    top: area.top + float.y * area.height,
    width: float.width * area.width,
    height: float.height * area.height,
  };
  return { place: { float }, box };
}

/** The nearest side, if it is near enough. */
function sideAt(point: { x: number; y: number }, box: Rect, wide: number, high: number): Side | undefined {
  const x = (point.x - box.left) / box.width;
  const y = (point.y - box.top) / box.height;
  const found: [Side, number][] = [
    ['left', x / wide],
    ['right', (1 - x) / wide],
    ['above', y / high],
    ['below', (1 - y) / high],
  ];
  const [nearest] = found.sort((a, b) => a[1] - b[1]);
  return nearest && nearest[1] < 1 ? nearest[0] : undefined;
}

function part(box: Rect, side: Side, share: number): Rect {
  const width = side === 'left' || side === 'right' ? box.width * share : box.width;
  const height = side === 'above' || side === 'below' ? box.height * share : box.height;
  return {
    left: side === 'right' ? box.left + box.width - width : box.left,
    top: side === 'below' ? box.top + box.height - height : box.top,
    width,
    height,
  };
}

function isIn(box: Rect, { x, y }: { x: number; y: number }): boolean {
  return x >= box.left && x < box.left + box.width && y >= box.top && y < box.top + box.height;
}
