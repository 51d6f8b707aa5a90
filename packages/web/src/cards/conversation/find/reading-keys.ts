/** Which key means what while reading (UX "Keys"). Pure, but for the hook that listens. */
import { useEffect } from 'react';
import { type CardFrame, isMeantFor } from '../../../app/dock/card-frame.tsx';

export type ReadingAction = 'find' | 'next' | 'previous' | 'next-prompt' | 'previous-prompt' | 'fold';

export interface KeyFacts {
  readonly key: string;
  readonly hasControl: boolean;
  readonly hasAlt: boolean;
  readonly hasShift: boolean;
  readonly isTyping: boolean;
}

export function readingAction({
  key,
  hasControl,
  hasAlt,
  hasShift,
  isTyping,
}: KeyFacts): ReadingAction | undefined {
  const letter = key.toLowerCase();
  if (hasAlt) return undefined;
  if (hasControl) return letter === 'f' && !hasShift ? 'find' : undefined;
  if (isTyping) return undefined;
  if (letter === 'j') return hasShift ? 'next-prompt' : 'next';
  if (letter === 'k') return hasShift ? 'previous-prompt' : 'previous';
  if (letter === 'z' && !hasShift) return 'fold';
  return letter === '/' ? 'find' : undefined;
}

const FIELDS = 'input, textarea, select, [contenteditable=""], [contenteditable="true"]';

/** Keys pressed inside the card, or nowhere in particular while it is the active one. */
export function useReadingKeys(frame: CardFrame, onAction: (action: ReadingAction) => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target instanceof Element ? event.target : document.body;
      const isHere = isMeantFor(frame, target);
      if (event.defaultPrevented || !isHere || document.querySelector('dialog[open]')) return;
      const action = readingAction({
        key: event.key,
        hasControl: event.ctrlKey || event.metaKey,
        hasAlt: event.altKey,
        hasShift: event.shiftKey,
        isTyping: target.matches(FIELDS),
      });
      if (!action) return;
      event.preventDefault();
      onAction(action);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [frame, onAction]);
}
