/** The points of a session's timeline (T34): its turns with changed files and lines, changes by others, and commits. */
import type { Timeline, TimelinePoint } from '@tugdeck/protocol/review/timeline';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { commitsBetween } from '@tugdeck/trees/commits';
import type { Shadow } from '@tugdeck/trees/shadow';
import { countChanges, existingTrees } from '@tugdeck/trees/tree-counts';
import type { TurnSpan } from '@tugdeck/trees/turn-bounds';

/** Commits are looked up by one process per turn that has some. */
const MAX_COMMIT_TURNS = 50;

/** The last `limit` turns, oldest first. Only these are compared, so that a long session opens like a short one. */
export async function timelineOf(
  shadow: Shadow,
  spans: readonly TurnSpan[],
  limit: number,
): Promise<Timeline> {
  const first = Math.max(0, spans.length - limit);
  const shown = spans.slice(first);
  const during = shown.map(({ start, end }) => pairOf(start?.tree, end?.tree));
  const between = shown.map(({ start }, at) => pairOf(spans[first + at - 1]?.end?.tree, start?.tree));
  const pairs = [...during, ...between].filter((pair) => pair !== undefined);
  const counts = await countChanges(shadow, pairs).catch((error: unknown) => {
    // Too much to count: the turns are listed without figures.
    if (error instanceof CodedError) return pairs.map(() => undefined);
    throw error;
  });
  const next = () => counts.shift();
  const changes = during.map((pair) => pair && next());
  const others = between.map((pair) => pair && next());
  const kept = await existingTrees(
    shadow,
    shown.flatMap(({ start }) => start?.tree ?? []),
  );
  const points: TimelinePoint[] = [];
  let lookups = 0;
  for (const [at, { turn, start, end }] of shown.entries()) {
    // Commits after the turn belong to it too, until the next one starts.
    const [from, to] = [start?.head?.commit, (shown[at + 1]?.start ?? end)?.head?.commit];
    const hasCommits = from !== undefined && to !== undefined && from !== to && lookups < MAX_COMMIT_TURNS;
    if (hasCommits) lookups += 1;
    const commits = hasCommits ? await commitsBetween(shadow, from, to) : [];
    const [own, foreign] = [changes[at], others[at]];
    const { branch, commit } = start?.head ?? {};
    points.push({
      turn,
      at: start?.at ?? end?.at ?? 0,
      isKept: start?.tree !== undefined && kept.has(start.tree),
      ...(end ? { endedAt: end.at } : {}),
      ...(own ? { changes: own } : {}),
      ...(foreign && foreign.files > 0 ? { others: foreign } : {}),
      ...(commits.length > 0 ? { commits } : {}),
      ...(branch === undefined ? {} : { branch }),
      ...(commit === undefined ? {} : { commit }),
    });
  }
  return { points, more: first };
}

function pairOf(before: string | undefined, after: string | undefined) {
  return before === undefined || after === undefined ? undefined : { before, after };
}
