/** The rows of a conversation. */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { useCallback, useMemo, useRef, useSyncExternalStore } from 'react';
import type { Card } from '../../features/conversation/card-context.tsx';
import { type MadeRows, makeRows, type Row, updateRows } from '../../features/conversation/rows.ts';
import { asideFold } from '../../features/restore/restore-records.ts';
import { withoutHidden, withRestores } from '../../features/restore/restore-rows.ts';

/**
 * The rows to render. Live text changes neither `v` nor `order`: rows are recomputed only when an entry changed,
 * and an older page leaves `v` and the rows after it unchanged. Hidden messages of a restore are left out until they
 * are shown (T22).
 */
export function useRows(
  { channel, folds }: Pick<Card, 'channel' | 'folds'>,
  order: readonly string[],
  conversation: Conversation,
): readonly Row[] {
  const last = useRef<{ channel: ConversationChannel; key: string; made: MadeRows }>(undefined);
  const { v, asides } = conversation;
  const subscribe = useCallback((listener: () => void) => folds.subscribe(listener), [folds]);
  const closed = useSyncExternalStore(subscribe, () =>
    asides
      .filter(({ restore }) => !folds.isOpen(asideFold(restore)))
      .map(({ restore }) => restore)
      .join(' '),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: `v` changes with everything of the conversation that rows depend on
  return useMemo(() => {
    const known = last.current;
    const key = `${v} ${closed}`;
    const find = (id: string) => channel.find(id);
    const shown = withoutHidden(order, find, asides, closed.split(' '));
    const isSame = known?.channel === channel && known.key === key;
    const made = isSame ? updateRows(known.made, shown, find) : makeRows(shown, find);
    last.current = { channel, key, made };
    return withRestores(made.rows, conversation, find);
  }, [channel, order, v, closed]);
}
