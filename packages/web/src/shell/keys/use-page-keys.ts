/** Page-wide shortcuts. Disabled while a dialog is open. */
import { useEffect } from 'react';
import { hasRunner, runAction } from '../../kit/action-runners.ts';
import { isWriting } from '../../kit/keys/key-names.ts';
import { actionForKey } from '../../kit/keys/keymap.ts';

/** The page's action for a key, for cards that handle keys themselves and must let these pass. */
export function pageAction(event: KeyboardEvent): string | undefined {
  const id = actionForKey(event, 'page', { isTyping: isWriting(event.target) });
  // A terminal uses the same key for its own search.
  if (id === 'search.open' && event.target instanceof Element && event.target.closest('[data-own-find]'))
    return undefined;
  return id !== undefined && hasRunner(id) ? id : undefined;
}

export function usePageKeys(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const id = pageAction(event);
      if (id === undefined) return;
      event.preventDefault();
      if (!document.querySelector('dialog[open]')) runAction(id);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
