/**
 * Offers notifications once (D7), at the moment they would have helped: a long turn ended while the page was hidden.
 * The page shows the offer when the user comes back.
 */
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { doNotDisturb, notifications } from '../../features/attention/attention-settings.ts';
import { cell } from '../../kit/cell.ts';
import { persisted } from '../../kit/persisted.ts';

const LONG_TURN_MS = 30_000;

const wasOffered = persisted('notifications-offered', (raw) => raw === true);

/** Titles of the session whose turn ended; undefined: nothing is offered. */
export const offeredFor = cell<string | undefined>(undefined);

/** The row whose turn took long and ended between two states of the deck. */
export function longTurnEnded(
  before: readonly SessionRow[],
  now: readonly SessionRow[],
): SessionRow | undefined {
  const started = new Map(before.map((row) => [row.id, row.summary?.turnStartedAt]));
  return now.find(({ id, summary }) => {
    const from = started.get(id);
    return from !== undefined && summary?.turn === 'idle' && summary.changedAt - from >= LONG_TURN_MS;
  });
}

export function considerOffer(row: SessionRow | undefined, title: (row: SessionRow) => string): void {
  if (!row || document.visibilityState === 'visible' || wasOffered.get()) return;
  if (notifications.get() || doNotDisturb.get() || !('Notification' in window)) return;
  if (Notification.permission === 'denied') return;
  wasOffered.set(true);
  offeredFor.set(title(row));
}
