/** Restores in the list of rows: hides set-aside entries, marks those that are shown, and adds a line per restore. Pure. */
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import type { Aside } from '@tugdeck/protocol/conversation/restore';
import { isAside } from '@tugdeck/protocol/conversation/restore-state';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import type { Row } from '../conversation/rows.ts';
import { shownRestores } from './restore-records.ts';

type Lookup = (id: string) => Entry | undefined;

/** Leaves out entries of `closed` restores. The same array if none is hidden. */
export function withoutHidden(
  order: readonly string[],
  lookup: Lookup,
  asides: readonly Aside[],
  closed: readonly string[],
): readonly string[] {
  const hidden = asides.filter(({ restore }) => closed.includes(restore));
  if (hidden.length === 0) return order;
  return order.filter((id) => {
    const seq = lookup(id)?.seq ?? -1;
    return !hidden.some(({ from, to }) => from <= seq && seq < to);
  });
}

export function withRestores(
  rows: readonly Row[],
  conversation: Conversation,
  lookup: Lookup,
): readonly Row[] {
  const records = shownRestores(conversation);
  if (records.length === 0 && conversation.asides.length === 0) return rows;
  const lines = records.flatMap(({ id, seq = 0 }) =>
    seq < conversation.from
      ? []
      : [{ seq, row: { id: `restore ${id}`, ids: [`restore ${id}`], restore: id } }],
  );
  const result: Row[] = [];
  for (const row of rows) {
    const seq = lookup(row.id)?.seq ?? Number.POSITIVE_INFINITY;
    while ((lines[0]?.seq ?? Number.POSITIVE_INFINITY) <= seq)
      result.push(...lines.splice(0, 1).map((one) => one.row));
    result.push(isAside(conversation, seq) ? { ...row, isAside: true } : row);
  }
  result.push(...lines.map(({ row }) => row));
  return result;
}
