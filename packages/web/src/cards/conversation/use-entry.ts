import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { useCallback, useRef, useSyncExternalStore } from 'react';
import { useCard } from './card-context.tsx';

/**
 * The entry as its view needs it. Streamed text of an answer does not come this way: appends leave `rev` as it
 * is, so such an entry is held until it truly changed, and no delta draws through React.
 */
export function useEntry(id: string): Entry | undefined {
  const { channel } = useCard();
  const held = useRef<Entry>(undefined);
  const subscribe = useCallback(
    (listener: () => void) => channel.entry(id).subscribe(listener),
    [channel, id],
  );
  const read = () => {
    const entry = channel.entry(id).get();
    const before = held.current;
    const isSame =
      entry && before && (entry.kind === 'text' || entry.kind === 'plan') && sameShape(before, entry);
    if (!isSame) held.current = entry;
    return held.current;
  };
  return useSyncExternalStore(subscribe, read);
}

function sameShape(a: Entry, b: Entry): boolean {
  return a.id === b.id && a.rev === b.rev && a.status === b.status;
}
