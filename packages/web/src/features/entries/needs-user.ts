/** Whether a row contains an open request, at any depth. Pure. */
import { type Entry, isRequest } from '@tugdeck/protocol/conversation/entries';
import type { Row } from '../conversation/rows.ts';

export function needsUser(row: Row, lookup: (id: string) => Entry | undefined): boolean {
  const isWaiting = row.ids.some((id) => {
    const entry = lookup(id);
    return entry !== undefined && isRequest(entry) && entry.request.status === 'pending';
  });
  return isWaiting || (row.nested?.some((inner) => needsUser(inner, lookup)) ?? false);
}
