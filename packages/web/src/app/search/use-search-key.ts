/** Ctrl/Cmd+Shift+F opens the search over all conversations, unless another dialog is open. */
import { useEffect, useRef } from 'react';

export function useSearchKey(open: (dialog: { kind: 'search' }) => void): void {
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isPressed = (event.ctrlKey || event.metaKey) && event.shiftKey && event.key.toLowerCase() === 'f';
      if (!isPressed || event.altKey) return;
      // A terminal finds in itself by the same key.
      if (event.target instanceof Element && event.target.closest('[data-own-find]')) return;
      event.preventDefault();
      event.stopPropagation();
      if (!document.querySelector('dialog[open]')) latest.current({ kind: 'search' });
    };
    addEventListener('keydown', onKeyDown, { capture: true });
    return () => removeEventListener('keydown', onKeyDown, { capture: true });
  }, []);
}
