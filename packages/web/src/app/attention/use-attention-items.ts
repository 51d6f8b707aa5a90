import { useMemo } from 'react';
import { plural } from '../../ui/format.ts';
import { useReadable } from '../../ui/use-readable.ts';
import { useClient } from '../client-context.tsx';
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
