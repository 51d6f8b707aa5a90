/** Maps keys to reading actions. */
import { useEffect } from 'react';
import { actionForKey } from '../../../kit/keys/keymap.ts';
import { type CardFrame, isMeantFor } from '../../../kit/layout/card-frame.tsx';

export type ReadingAction = 'find' | 'next' | 'previous' | 'next-prompt' | 'previous-prompt' | 'fold';

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
export function useReadingKeys(frame: CardFrame, onAction: (action: ReadingAction) => void): void {
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
