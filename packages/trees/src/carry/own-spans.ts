/**
 * Finds the session's own changes (T4): those made during its turns, except while a turn of another session in the same
 * folder was running. All others are somebody else's. Pure.
 */
import type { TurnBound, TurnSpan } from '../turn-bounds.ts';
import type { Save } from './saves.ts';

export interface TreePair {
  readonly start: string;
  readonly end: string;
  /**
   * Of a turn or a part of it: who recorded the trees. Trees of two sessions can have different files that are ignored, because
   * each keeps those that it recorded before.
   */
  readonly writers?: 'one' | 'two' | undefined;
  /** Files that the first tree leaves out. */
  readonly leftOut?: readonly string[] | undefined;
  /** Saves of the user between them, oldest first. */
  readonly saves?: readonly Save[] | undefined;
}

export interface OwnSpans {
  /** Oldest first. */
  readonly pairs: readonly TreePair[];
  /** Turns, or parts of them, that can't be reverted: trees are missing, or another session was working too. */
  readonly gaps: readonly {
    readonly turn: string;
    readonly why: 'missing' | 'shared';
    readonly pair?: TreePair;
  }[];
}

type Recorded = TurnBound & { readonly tree: string };

/**
 * `own`: the turns to revert, oldest first. `others`: turns of other sessions in the same folder. `saves`: files that the user
 * saved in the editor while a turn of this session was running, oldest first.
 */
export function ownSpans(
  own: readonly TurnSpan[],
  others: readonly TurnSpan[],
  now: string,
  saves: readonly Save[] = [],
): OwnSpans {
  const pairOf = (
    from: Recorded,
    to: Pick<Recorded, 'at' | 'tree'>,
    writers: TreePair['writers'],
  ): TreePair => {
    const between = saves.filter(({ at }) => from.at <= at && at <= to.at);
    return {
      start: from.tree,
      end: to.tree,
      writers,
      ...(from.leftOut ? { leftOut: from.leftOut.map(({ path }) => path) } : {}),
      ...(between.length > 0 ? { saves: between } : {}),
    };
  };
  const pairs: TreePair[] = [];
  const gaps: OwnSpans['gaps'][number][] = [];
  for (const span of own) {
    const start = recorded(span.start);
    // A turn without an end was cut off: everything up to now was changed after its start.
    const end = span.end ? recorded(span.end) : { at: Number.POSITIVE_INFINITY, tree: now };
    if (!start || !end) {
      gaps.push({ turn: span.turn, why: 'missing' });
      continue;
    }
    const overlaps = others.filter((other) => isOverlapping(other, start.at, end.at));
    if (overlaps.some(({ start: from, end: to }) => !recorded(from) || (to && !recorded(to)))) {
      gaps.push({ turn: span.turn, why: 'shared', pair: { start: start.tree, end: end.tree } });
      continue;
    }
    let from: Recorded | undefined = start;
    for (const { bound, isBegin } of cuts(overlaps, start.at, end.at)) {
      if (isBegin && from) {
        // A turn of the other session that began earlier leaves nothing before it.
        if (bound.at > from.at && from.tree !== bound.tree) pairs.push(pairOf(from, bound, 'two'));
        from = undefined;
      }
      if (!isBegin) from = bound;
    }
    if (from && from.tree !== end.tree) pairs.push(pairOf(from, end, from === start ? 'one' : 'two'));
    if (overlaps.length > 0) {
      gaps.push({ turn: span.turn, why: 'shared', pair: { start: start.tree, end: end.tree } });
    }
  }
  return { pairs, gaps };
}

function recorded(bound: TurnBound | undefined): Recorded | undefined {
  return bound?.tree === undefined ? undefined : { ...bound, tree: bound.tree };
}

function isOverlapping(other: TurnSpan, from: number, to: number): boolean {
  const begin = other.start?.at ?? other.end?.at ?? Number.POSITIVE_INFINITY;
  const end = other.end?.at ?? Number.POSITIVE_INFINITY;
  return begin <= to && end >= from;
}

interface Cut {
  readonly bound: Recorded;
  readonly isBegin: boolean;
}

/** The bounds of the union of other turns inside the given time, in order. */
function cuts(others: readonly TurnSpan[], from: number, to: number): Cut[] {
  const bounds: Cut[] = [];
  for (const { start, end } of others) {
    const [begin, finish] = [recorded(start), recorded(end)];
    if (begin) bounds.push({ bound: begin, isBegin: true });
    if (finish) bounds.push({ bound: finish, isBegin: false });
  }
  bounds.sort((a, b) => a.bound.at - b.bound.at || Number(b.isBegin) - Number(a.isBegin));
  const result: Cut[] = [];
  let depth = 0;
  for (const cut of bounds) {
    const { at } = cut.bound;
    depth += cut.isBegin ? 1 : -1;
    if (cut.isBegin && depth === 1 && at <= to) result.push(cut);
    if (!cut.isBegin && depth === 0 && at >= from && at <= to) result.push(cut);
  }
  return result;
}
