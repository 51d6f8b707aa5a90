/**
 * Attributes changes (W4). Changes between the start and end of a turn were made during the turn; changes between
 * turns, or during another session's turn, may be someone else's. Pure apart from the given comparison.
 */
import type { ChangedBy } from '@tugdeck/protocol/review/review-messages';
import type { TurnSpan } from '@tugdeck/trees/turn-bounds';

export interface AttributionInput {
  /** Turns of this session, oldest first. */
  readonly own: readonly TurnSpan[];
  /** Turns of the project's other sessions. */
  readonly others: readonly TurnSpan[];
  readonly now: string;
  /** The paths that differ between two trees. */
  readonly between: (before: string, after: string) => Promise<readonly string[]>;
}

export async function attribute(input: AttributionInput): Promise<(path: string) => ChangedBy> {
  const { own, others, now, between } = input;
  const within = new Set<string>();
  const outside = new Set<string>();
  let last: string | undefined;
  for (const [index, { start, end }] of own.entries()) {
    const isLast = index === own.length - 1;
    const to = end?.tree ?? (isLast ? now : undefined);
    if (last !== undefined && start?.tree !== undefined) add(outside, await between(last, start.tree));
    // A turn without a start tree begins where the previous one ended.
    const from = start?.tree ?? last;
    if (from !== undefined && to !== undefined) add(within, await between(from, to));
    last = to ?? last ?? start?.tree;
  }
  if (last !== undefined && own.at(-1)?.end) add(outside, await between(last, now));
  for (const span of others) {
    if (span.start?.tree === undefined || !own.some((one) => overlaps(one, span))) continue;
    const to = span.end?.tree ?? now;
    add(outside, await between(span.start.tree, to));
  }
  return (path) => (outside.has(path) ? (within.has(path) ? 'both' : 'others') : 'session');
}

function add(to: Set<string>, paths: readonly string[]): void {
  for (const path of paths) to.add(path);
}

function overlaps(one: TurnSpan, other: TurnSpan): boolean {
  const from = (span: TurnSpan) => span.start?.at ?? 0;
  const to = (span: TurnSpan) => span.end?.at ?? Number.POSITIVE_INFINITY;
  return from(one) <= to(other) && from(other) <= to(one);
}
