/** Connects keys, entry links and jumps of a card with its list. */
import { type RefObject, useCallback, useEffect } from 'react';
import type { Card } from '../../../features/conversation/card-context.tsx';
import { useCardFrame } from '../../../kit/layout/card-frame.tsx';
import type { EntryListHandle } from '../EntryList.tsx';
import { type ReadingAction, useReadingKeys } from './reading-keys.ts';
import { useEntryLink } from './use-entry-link.ts';

export function useReading(card: Card, list: RefObject<EntryListHandle | null>, isReady: boolean): void {
  const { session, reading } = card;
  const frame = useCardFrame();
  const onAction = useCallback(
    (action: ReadingAction) => {
      if (action === 'find') {
        reading.setFinding(true);
        frame.host()?.querySelector<HTMLInputElement>('.find-input')?.select();
      } else if (action === 'fold') list.current?.toggleFold();
      else list.current?.step(action.startsWith('next') ? 1 : -1, action.endsWith('prompt'));
    },
    [reading, list, frame],
  );
  useReadingKeys(frame, onAction);
  useEntryLink(session, reading, isReady);
  // The target may be in a page that was just loaded: its rows are rendered next.
  useEffect(() => {
    return reading.target.subscribe(() => {
      const target = reading.target.get();
      if (target) list.current?.showEntry(target.id);
    });
  }, [reading, list]);
}
