import { useMemo } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { plural } from '../../kit/format.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { attentionItems } from './attention-items.ts';

/** The attention items, for buttons that open the inbox. */
export function useAttentionItems() {
  const deck = useReadable(useClient().deck);
  const items = useMemo(() => attentionItems(deck?.sessions ?? []), [deck]);
  const needs = items.filter(({ kind }) => kind === 'asks').length;
  return {
    /** Of sessions that need the user; if none does, of those that ended unseen. */
    count: needs > 0 ? needs : items.length,
    needsUser: needs > 0,
    label: items.length === 0 ? 'Inbox' : `Inbox: ${plural(items.length, 'session')}`,
  };
}
