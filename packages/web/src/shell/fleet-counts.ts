/** How many sessions are in each state that matters at a glance (D16). Pure. */
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import type { Reviewed } from '../kit/reviewed.ts';
import { sessionState } from '../kit/session-state.ts';

export interface FleetCounts {
  readonly needs: number;
  readonly working: number;
  readonly review: number;
}

export function fleetCounts(rows: readonly SessionRow[], now: number, reviewed: Reviewed): FleetCounts {
  const counts = { needs: 0, working: 0, review: 0 };
  for (const row of rows) {
    if (row.archived || row.trashedAt !== undefined) continue;
    const state = sessionState(row, { now, reviewed: reviewed[row.id] });
    if (state === 'needs' || state === 'working' || state === 'review') counts[state]++;
  }
  return counts;
}
