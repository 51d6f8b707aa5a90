/** What in a change of a session's row is worth a message, and whether it still is. Pure. */
import type { PushDevice, PushKind } from '@tugdeck/protocol/areas/push';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';

export interface PushEvent {
  readonly kind: PushKind;
  readonly session: string;
  /** Two events with the same mark are the same. */
  readonly mark: string;
}

/** A turn that the user stopped isn't worth a message. */
const ENDS: Readonly<Record<string, PushKind | undefined>> = {
  completed: 'finished',
  error: 'failed',
  limit: 'failed',
  refused: 'failed',
};

export function eventOf(before: SessionRow | undefined, now: SessionRow): PushEvent | undefined {
  const { summary, id: session } = now;
  if (!summary || now.archived || now.trashedAt !== undefined || now.origin === 'foreign') return undefined;
  if (summary.waiting > 0) {
    const wasWaiting = (before?.summary?.waiting ?? 0) > 0;
    if (wasWaiting && before?.summary?.waitingSince === summary.waitingSince) return undefined;
    return { kind: 'needs', session, mark: `${session} needs ${summary.waitingSince}` };
  }
  const kind = ENDS[summary.lastTurn ?? ''];
  const hasEnded = summary.turn === 'idle' && before?.summary !== undefined && before.summary.turn !== 'idle';
  return hasEnded && kind ? { kind, session, mark: `${session} ${kind} ${summary.entries}` } : undefined;
}

/** Not answered, continued or seen in the meantime. */
export function isCurrent({ kind, session, mark }: PushEvent, row: SessionRow | undefined): boolean {
  const { summary } = row ?? {};
  if (!row || !summary) return false;
  if (kind === 'needs') return summary.waiting > 0 && mark === `${session} needs ${summary.waitingSince}`;
  return summary.turn === 'idle' && summary.waiting === 0 && (row.seen ?? 0) < summary.entries;
}

export function isQuiet({ quiet }: Pick<PushDevice, 'quiet'>, now: number): boolean {
  if (!quiet || quiet.from === quiet.until) return false;
  const minute = minuteOfDay(now, quiet.timeZone);
  return quiet.from < quiet.until
    ? minute >= quiet.from && minute < quiet.until
    : minute >= quiet.from || minute < quiet.until;
}

/** UTC for a zone that this system does not know. */
function minuteOfDay(now: number, timeZone: string): number {
  const options = { hour: 'numeric', minute: 'numeric', hourCycle: 'h23' } as const;
  let text: string;
  try {
    text = new Intl.DateTimeFormat('en-GB', { ...options, timeZone }).format(now);
  } catch {
    text = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).format(now);
  }
  const [hour = 0, minute = 0] = text.split(':').map(Number);
  return hour * 60 + minute;
}
