/** Connects keys, entry links and jumps of a card with its list. */
import { type RefObject, useCallback, useEffect } from 'react';
import type { Card } from '../../../features/conversation/card-context.tsx';
import type { Reading } from '../../../features/conversation/reading.ts';
import { actionForKey } from '../../../kit/keys/keymap.ts';
import { type CardFrame, isMeantFor, useCardFrame } from '../../../kit/layout/card-frame.tsx';
import { entryOfHash, route, sessionOfHash } from '../../../kit/route.ts';
import type { EntryListHandle } from '../EntryList.tsx';

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

type ReadingAction = 'find' | 'next' | 'previous' | 'next-prompt' | 'previous-prompt' | 'fold';

const ACTIONS: Readonly<Record<string, ReadingAction>> = {
  'find.open': 'find',
  'find.open-everywhere': 'find',
  'entry.next': 'next',
  'entry.previous': 'previous',
  'prompt.next': 'next-prompt',
  'prompt.previous': 'previous-prompt',
  'entry.fold': 'fold',
};

const FIELDS = 'input, textarea, select, [contenteditable=""], [contenteditable="true"]';

/** For keys pressed inside the card, or outside of all cards while it is active. */
function useReadingKeys(frame: CardFrame, onAction: (action: ReadingAction) => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target instanceof Element ? event.target : document.body;
      const isHere = isMeantFor(frame, target);
      if (event.defaultPrevented || !isHere || document.querySelector('dialog[open]')) return;
      const action = ACTIONS[actionForKey(event, 'reading', { isTyping: target.matches(FIELDS) }) ?? ''];
      if (!action) return;
      event.preventDefault();
      onAction(action);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [frame, onAction]);
}

/**
 * Scrolls to the entry in the URL (`#/session/<id>/<entry>`) once the conversation is loaded, loading older pages
 * if needed.
 */
function useEntryLink(session: string, reading: Reading, isReady: boolean): void {
  useEffect(() => {
    if (!isReady) return;
    const go = () => {
      const entry = entryOfHash(location.hash);
      const isMine = sessionOfHash(location.hash) === session;
      if (entry !== undefined && isMine) void reading.jumpTo(entry);
    };
    go();
    return route.subscribe(go);
  }, [session, reading, isReady]);
}
