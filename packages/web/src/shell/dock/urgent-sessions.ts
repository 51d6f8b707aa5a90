/** The sessions for a grid (D1), the most urgent first. Pure. */
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import type { Reviewed } from '../../kit/reviewed.ts';
import { isSameDay, isSeen, type SessionState, sessionState } from '../../kit/session-state.ts';

const URGENT: readonly SessionState[] = ['needs', 'working', 'queued', 'failed', 'review'];

/** `open`: the sessions with a tab, which follow the urgent ones. Equally urgent sessions are ordered by last activity. */
export function urgentSessions(
  sessions: readonly SessionRow[],
  now: number,
  reviewed: Reviewed,
  open: readonly string[],
): readonly string[] {
  const rank = (row: SessionRow) => {
    const state = sessionState(row, { now, reviewed: reviewed[row.id] });
    // An unread answer counts like changes to review; a failure that was seen on an earlier day no longer counts.
    if (state === 'done' && !isSeen(row)) return URGENT.indexOf('review');
    const isOld = state === 'failed' && isSeen(row) && !isSameDay(row.activeAt, now);
    const at = isOld ? -1 : URGENT.indexOf(state);
    return at < 0 ? URGENT.length : at;
  };
  return sessions
    .filter(({ archived, trashedAt }) => !archived && trashedAt === undefined)
    .map((row) => ({ id: row.id, activeAt: row.activeAt, rank: rank(row) }))
    .filter((one) => one.rank < URGENT.length || open.includes(one.id))
    .sort((a, b) => a.rank - b.rank || b.activeAt - a.activeAt)
    .map(({ id }) => id);
}
