import { useMemo } from 'react';
import { useReadable } from '../../ui/use-readable.ts';
import { plural } from '../../ui/words.ts';
import { useClient } from '../client-context.tsx';
import { waitingItems } from './waiting-items.ts';

/** What waits, for the buttons that lead to the inbox. */
export function useWaiting() {
  const deck = useReadable(useClient().deck);
  const items = useMemo(() => waitingItems(deck?.sessions ?? []), [deck]);
  return {
    count: items.length,
    isAsking: items.some(({ kind }) => kind === 'asks'),
    label: items.length === 0 ? 'Inbox' : `Inbox: ${plural(items.length, 'session')}`,
  };
}
