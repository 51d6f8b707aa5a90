import { useMemo } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { plural } from '../../kit/format.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { attentionItems } from './attention-items.ts';

/** The attention items, for buttons that open the inbox. */
export function useAttentionItems() {
  const deck = useReadable(useClient().deck);
  const items = useMemo(() => attentionItems(deck?.sessions ?? []), [deck]);
  return {
    count: items.length,
    needsUser: items.some(({ kind }) => kind === 'asks'),
    label: items.length === 0 ? 'Inbox' : `Inbox: ${plural(items.length, 'session')}`,
  };
}
