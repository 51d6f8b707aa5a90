/**
 * Several attempts at the message of a new session (B37): the composer's session is the first, the others are chosen
 * here and start with it. And which sessions of the deck belong together.
 */
import { ATTEMPTS, type AttemptsRow, roomText } from '@tugdeck/protocol/attempts/attempts';
import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import { cell } from '../../kit/cell.ts';
import { sessionState } from '../../kit/session-state.ts';

/** An attempt besides the composer's. Without an agent: the same agent, model and mode as the composer's. */
export interface OtherAttempt {
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly mode?: string | undefined;
}

const NONE: readonly OtherAttempt[] = [];
const others = new Map<string, ReturnType<typeof cell<readonly OtherAttempt[]>>>();

/** The attempts that start together with the first message of this session. */
export function otherAttempts(session: string) {
  const known = others.get(session) ?? cell(NONE);
  others.set(session, known);
  return known;
}

/** As many attempts as chosen, with the agents that were chosen before. */
export function withCount(now: readonly OtherAttempt[], count: number): readonly OtherAttempt[] {
  const wanted = Math.min(count, ATTEMPTS.most) - 1;
  return Array.from({ length: Math.max(0, wanted) }, (_, index) => now[index] ?? {});
}

/** Why some of the attempts would wait; undefined if all can run at once. */
export function waitingText(deck: Deck, project: string, attempts: number, now: number): string | undefined {
  const row = deck.projects.find(({ id }) => id === project);
  const remote = deck.machines?.find(({ id }) => id === row?.machine);
  const limits = remote ? remote.limits : deck.limits;
  if (!limits) return undefined;
  const isThere = ({ machine }: SessionRow) => (remote ? machine === remote.id : machine === row?.machine);
  const running = deck.sessions.filter(
    (one) => isThere(one) && one.live && sessionState(one, { now }) === 'working',
  ).length;
  return roomText(attempts, { limit: Math.min(limits.turns, limits.agents), running });
}

export interface AttemptPlace {
  readonly group: AttemptsRow;
  /** From 1. */
  readonly number: number;
}

/** Computed once for each list: every listed session asks. */
const places = new WeakMap<readonly AttemptsRow[], ReadonlyMap<string, AttemptPlace>>();

/** The group that a session belongs to, until one of them was chosen. */
export function attemptPlace(
  groups: readonly AttemptsRow[] | undefined,
  { id, project }: Pick<SessionRow, 'id' | 'project'>,
): AttemptPlace | undefined {
  if (!groups) return undefined;
  const known = places.get(groups) ?? placesOf(groups);
  places.set(groups, known);
  const place = known.get(id);
  // Another machine can name any session.
  return place?.group.project === project ? place : undefined;
}

function placesOf(groups: readonly AttemptsRow[]): ReadonlyMap<string, AttemptPlace> {
  const open = groups.filter(({ chosen }) => chosen === undefined);
  return new Map(
    open.flatMap((group) =>
      group.attempts.map(({ session }, index) => [session, { group, number: index + 1 }] as const),
    ),
  );
}

/** "A", "B": how attempts are named beside each other. */
export function letterOf(number: number): string {
  return String.fromCharCode(64 + number);
}
