/** The items of all sessions that need the user's attention (D7). Pure: a projection of the deck's rows. */
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { isSeen, sessionState, stateSince } from '../../kit/session-state.ts';

/** `asks`: a request is open. `failed`: the agent or its turn failed. `finished`: a turn ended unseen. */
export type AttentionKind = 'asks' | 'failed' | 'finished';

export interface AttentionItem {
  readonly session: string;
  readonly kind: AttentionKind;
  readonly since: number;
  /** Open requests. */
  readonly count: number;
}

const ORDER: readonly AttentionKind[] = ['asks', 'failed', 'finished'];

/** Requests first, oldest first. */
export function attentionItems(rows: readonly SessionRow[]): AttentionItem[] {
  return rows
    .flatMap((row) => {
      const item = itemOf(row);
      return item ? [item] : [];
    })
    .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || a.since - b.since);
}

export function itemOf(row: SessionRow): AttentionItem | undefined {
  const { summary } = row;
  if (!summary || row.archived || row.trashedAt !== undefined || row.origin === 'foreign') return undefined;
  const state = sessionState(row, { now: row.activeAt });
  const since = stateSince(row, state);
  if (state === 'needs') return { session: row.id, kind: 'asks', since, count: summary.waiting };
  // A turn that was viewed after it ended needs no attention.
  if (isSeen(row) || state === 'working' || state === 'queued') return undefined;
  if (state === 'failed') return { session: row.id, kind: 'failed', since, count: 0 };
  const isFinished = summary.turn === 'idle' && summary.lastTurn !== undefined;
  return isFinished ? { session: row.id, kind: 'finished', since, count: 0 } : undefined;
}

/** New items that are worth a notification. */
export function newItems(before: readonly AttentionItem[], now: readonly AttentionItem[]): AttentionItem[] {
  const known = new Set(before.map(keyOf));
  return now.filter((item) => !known.has(keyOf(item)));
}

function keyOf({ session, kind, since }: AttentionItem): string {
  return `${session} ${kind} ${since}`;
}
