/** How many sessions are in each state that matters at a glance (D16). Pure. */
import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import { plural } from '../kit/format.ts';
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

export interface SlotCounts {
  /** "6/16 working" */
  readonly text: string;
  readonly detail: string;
}

/** Working agents and how many may work at once (D40). Those that need the user or are idle do not count. */
export function slotCounts({ sessions, limits }: Pick<Deck, 'sessions' | 'limits'>): SlotCounts {
  const live = sessions.filter((row) => row.live && row.summary);
  const count = (test: (summary: NonNullable<SessionRow['summary']>) => boolean) =>
    live.filter(({ summary }) => summary && test(summary)).length;
  const working = count(({ turn, waiting }) => turn !== 'idle' && waiting === 0);
  const running = count(({ agentState }) => agentState !== 'idle' && agentState !== 'failed');
  const queued = count(({ slot }) => slot !== undefined);
  if (!limits) return { text: `${working} working`, detail: `${working} working` };
  const max = Math.min(limits.turns, limits.agents);
  const line = queued > 0 ? ` · ${queued} queued` : '';
  return {
    text: `${working}/${max} working${line}`,
    detail: `${working} working, at most ${max} at once. ${plural(running, 'agent process', 'agent processes')} running, at most ${limits.agents}.`,
  };
}
