/** The neighboring group on a side: the one with the longest common edge. Pure. */
import { type Group, groupById, type Layout, type Side } from '../../kit/layout/layout.ts';
import { type Box, placeLayout } from './place-layout.ts';

interface Area {
  readonly from: number;
  readonly to: number;
  readonly low: number;
  readonly high: number;
}

export function neighborGroup(layout: Layout, id: string, side: Side): Group | undefined {
  const { groups } = placeLayout({ ...layout, maximised: undefined });
  const own = groups.find(({ group }) => group.id === id);
  if (!own) return undefined;
  const here = areaOf(own.box, side);
  const found = groups
    .filter(({ group, float }) => group.id !== id && float === undefined)
    .map(({ group, box }) => ({ group, area: areaOf(box, side) }))
    .filter(({ area }) => area.from >= here.to - TOLERANCE && shared(here, area) > TOLERANCE)
    .sort((a, b) => a.area.from - b.area.from || shared(here, b.area) - shared(here, a.area))[0];
  return found && groupById(layout, found.group.id);
}

/** Tolerance for rounding and for collapsed strips. */
const TOLERANCE = 1e-6;

/** Rotates a box so that the wanted side is always forward. */
function areaOf({ left, top, width, height }: Box, side: Side): Area {
  const isAcross = side === 'left' || side === 'right';
  const [at, size] = isAcross ? [left, width] : [top, height];
  const [low, extent] = isAcross ? [top, height] : [left, width];
  // Shares and pixels in one unit, for a dock of 1000 by 1000.
  const measure = ({ share, px }: { share: number; px: number }) => share + px / 1000;
  const start = measure(at);
  const end = start + measure(size);
  const isForward = side === 'right' || side === 'below';
  return {
    from: isForward ? start : -end,
    to: isForward ? end : -start,
    low: measure(low),
    high: measure(low) + measure(extent),
  };
}

function shared(a: Area, b: Area): number {
  return Math.min(a.high, b.high) - Math.max(a.low, b.low);
}
