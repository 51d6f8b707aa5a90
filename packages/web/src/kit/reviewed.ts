/**
 * Up to which entry the changes of each session were reviewed, so that a session leaves "Ready to review" when its
 * review was opened (D14). Shared by all browsers; the oldest are dropped, because the server keeps little text.
 */
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { persisted } from './persisted.ts';

const MAX_SESSIONS = 200;

export type Reviewed = Readonly<Record<string, number>>;

export const reviewed = persisted('reviewed', readReviewed, { isShared: true });

export function markReviewed({ id, summary }: Pick<SessionRow, 'id' | 'summary'>): void {
  const last = summary?.changes?.last ?? 0;
  const now = reviewed.get();
  if (last <= (now[id] ?? 0)) return;
  const others = Object.entries(now).filter(([session]) => session !== id);
  reviewed.set(Object.fromEntries([...others, [id, last]].slice(-MAX_SESSIONS)));
}

function readReviewed(raw: unknown): Reviewed {
  if (typeof raw !== 'object' || raw === null) return {};
  const known = Object.entries(raw).filter((pair): pair is [string, number] => typeof pair[1] === 'number');
  return Object.fromEntries(known.slice(-MAX_SESSIONS));
}
