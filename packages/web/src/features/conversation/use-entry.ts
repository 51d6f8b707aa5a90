import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { useCallback, useRef, useSyncExternalStore } from 'react';
import { useCard } from './card-context.tsx';

/**
 * The entry for its view. Streamed text does not cause a render: appends leave `rev` unchanged, so the entry is
 * kept until it really changes.
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
