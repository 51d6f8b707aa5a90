/**
 * The state of a session and its words (D14): one mapping for board, sidebar, tabs, inbox and screen readers. Pure: a
 * projection of the row that every page has. ui/StateGlyph draws it.
 */
import type { Summary } from '@tugdeck/protocol/conversation/summarize';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { ago, elapsed, plural } from './format.ts';
import { visibleText } from './visible-text.ts';

export const SESSION_STATES = [
  'needs',
  'working',
  'queued',
  'review',
  'done',
  'failed',
  'idle',
  'elsewhere',
  'offline',
] as const;
export type SessionState = (typeof SESSION_STATES)[number];

export const STATE_LABELS: Readonly<Record<SessionState, string>> = {
  needs: 'Needs you',
  working: 'Working',
  queued: 'Queued',
  review: 'Ready to review',
  done: 'Done',
  failed: 'Failed',
  idle: 'Idle',
  elsewhere: 'In another program',
  offline: 'Not connected',
};

export type StateRow = Pick<
  SessionRow,
  'summary' | 'live' | 'elsewhere' | 'origin' | 'seen' | 'pending' | 'activeAt'
>;

export interface StateFacts {
  readonly now: number;
  /** Number of entries up to which the user has reviewed this session's changes. */
  readonly reviewed?: number | undefined;
}

/** Unreviewed changes that are older than this are no longer offered. */
const REVIEW_MS = 7 * 24 * 3_600_000;

/** `live` states need a host: what a dead host left open needs nobody. */
export function sessionState(row: StateRow | undefined, { now, reviewed = 0 }: StateFacts): SessionState {
  const summary = row?.summary;
  if (row?.elsewhere) return 'elsewhere';
  if (row?.pending) return 'queued';
  if (!row || !summary || row.origin === 'foreign') return 'idle';
  if (row.live && summary.waiting > 0) return 'needs';
  if (summary.agentState === 'failed') return 'failed';
  if (row.live && summary.turn !== 'idle') return 'working';
  if (row.live && (summary.queued ?? 0) > 0) {
    if (summary.slot) return 'queued';
    const isStarting = summary.agentState === 'starting' || summary.agentState === 'connected';
    return isStarting ? 'working' : 'queued';
  }
  if (summary.lastTurn === undefined) return 'idle';
  if (summary.lastTurn === 'error') return 'failed';
  const { activeAt } = row;
  const { changes } = summary;
  if (changes && changes.files > 0 && changes.last > reviewed && now - activeAt < REVIEW_MS) return 'review';
  return !isSeen(row) || isSameDay(activeAt, now) ? 'done' : 'idle';
}

/** The user has looked at everything in it. */
export function isSeen({ summary, seen = 0 }: Pick<StateRow, 'summary' | 'seen'>): boolean {
  return (summary?.entries ?? 0) <= seen;
}

export function isSameDay(a: number, b: number): boolean {
  return new Date(a).toDateString() === new Date(b).toDateString();
}

/**
 * Since when its turn or request has been open; otherwise its last activity. A summary also changes when a session is
 * only opened, which must not make it look new.
 */
export function stateSince({ summary, activeAt }: SessionRow, state: SessionState): number {
  if (state === 'needs') return summary?.waitingSince ?? activeAt;
  if (state === 'working') return summary?.turnStartedAt ?? summary?.changedAt ?? activeAt;
  return activeAt;
}

/** "4m"; "12s" in the first minute of a turn, or that a session needs the user. */
export function stateTime(row: SessionRow, state: SessionState, now: number): string {
  const since = stateSince(row, state);
  const passed = Math.max(0, now - since);
  const isClock = (state === 'working' || state === 'needs') && passed < 60_000;
  return isClock ? elapsed(passed) : ago(since, now);
}

/** The place in the queue for a slot (D40). */
function placeText(slot: Summary['slot']): string | undefined {
  if (slot?.ahead === undefined) return undefined;
  return slot.ahead === 0 ? 'next' : `${slot.ahead} ahead`;
}

/** The state as text: "Needs you · Run npm publish", "Ready to review · 3 files". */
export function stateText({ summary, pending }: SessionRow, state: SessionState): string {
  const detail = () => {
    if (state === 'needs') return summary?.request;
    if (state === 'working') return summary?.activity;
    if (state === 'review') return plural(summary?.changes?.files ?? 0, 'file');
    if (state === 'queued') return pending ? 'creating its workspace' : placeText(summary?.slot);
    if (state === 'failed') return summary?.agentReason;
    return undefined;
  };
  const text = detail();
  return text ? `${STATE_LABELS[state]} · ${visibleText(text)}` : STATE_LABELS[state];
}
