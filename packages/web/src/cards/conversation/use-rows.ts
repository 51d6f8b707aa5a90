import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { useMemo, useRef } from 'react';
import { type MadeRows, makeRows, type Row, updateRows } from '../../features/conversation/rows.ts';

/**
 * The rows to render. Live text changes neither `v` nor `order`: rows are recomputed only when an entry changed,
 * and an older page leaves `v` and the rows after it unchanged.
 */
export function useRows(channel: ConversationChannel, order: readonly string[], v: number): readonly Row[] {
  const last = useRef<{ channel: ConversationChannel; v: number; made: MadeRows }>(undefined);
  return useMemo(() => {
    const known = last.current;
    const isSame = known?.channel === channel && known.v === v;
    const find = (id: string) => channel.find(id);
    const made = isSame ? updateRows(known.made, order, find) : makeRows(order, find);
    last.current = { channel, v, made };
    return made.rows;
  }, [channel, order, v]);
}
