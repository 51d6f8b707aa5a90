/** Rows of a session's timeline, newest first: turns, changes by others and restores (T34). Pure. */
import type { UserEntry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import type { RestoreRecord } from '@tugdeck/protocol/conversation/restore';
import { isAside, isUndone } from '@tugdeck/protocol/conversation/restore-state';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import type { Timeline, TimelinePoint } from '@tugdeck/protocol/review/timeline';

export type TimelineRow =
  | {
      readonly kind: 'turn';
      readonly id: string;
      readonly at: number;
      readonly number: number;
      readonly point: TimelinePoint;
      /** The message that started it; undefined if it is not loaded. */
      readonly entry: UserEntry | undefined;
      readonly isAside: boolean;
    }
  | {
      readonly kind: 'others';
      readonly id: string;
      readonly at: number;
      readonly changes: NonNullable<TimelinePoint['others']>;
    }
  | {
      readonly kind: 'restore';
      readonly id: string;
      readonly at: number;
      readonly record: RestoreRecord;
      /** It is in effect and can be undone; an undo can be redone. */
      readonly isLast: boolean;
    };

export function timelineRows(conversation: Conversation, { points, more }: Timeline): TimelineRow[] {
  const messages = new Map<string, UserEntry>();
  for (const entry of entriesFrom(conversation.entries, conversation.from)) {
    if (entry.kind === 'user' && entry.turn !== undefined && !messages.has(entry.turn))
      messages.set(entry.turn, entry);
  }
  const seqs = new Map(conversation.turns.map(({ id, firstSeq }) => [id, firstSeq]));
  const rows: TimelineRow[] = [];
  points.forEach((point, at) => {
    if (point.others) {
      rows.push({ kind: 'others', id: `others ${point.turn}`, at: point.at, changes: point.others });
    }
    const entry = messages.get(point.turn);
    const seq = entry?.seq ?? seqs.get(point.turn);
    rows.push({
      kind: 'turn',
      id: point.turn,
      at: point.at,
      number: more + at + 1,
      point,
      entry,
      isAside: seq !== undefined && isAside(conversation, seq),
    });
  });
  const last = conversation.restores.findLast(
    ({ id, state }) => state !== 'open' && state !== 'abandoned' && !isUndone(conversation, id),
  );
  const oldest = points[0]?.at ?? 0;
  for (const record of conversation.restores) {
    // Older ones belong to turns that are not listed.
    if (more > 0 && record.at < oldest) continue;
    rows.push({ kind: 'restore', id: record.id, at: record.at, record, isLast: record === last });
  }
  return rows
    .map((row, order) => ({ row, order }))
    .sort((a, b) => b.row.at - a.row.at || b.order - a.order)
    .map(({ row }) => row);
}

/** The first line of a message. */
export function firstLine({ text }: UserEntry): string {
  return text.trim().split('\n')[0] ?? '';
}
