/** The page's own keys: the palette, quick open, the keyboard page, cards by number. None acts while a dialog is open. */
import { useEffect, useRef } from 'react';
import { isWriting } from './keys.ts';

export interface ShellKeys {
  readonly palette: () => void;
  readonly keyboard: () => void;
  readonly quickOpen: () => void;
  readonly card: (at: number) => void;
}

export function useShellKeys(keys: ShellKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isModified = event.ctrlKey || event.metaKey;
      if (isModified && !event.altKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        if (!document.querySelector('dialog[open]')) latest.current.palette();
        return;
      }
      if (isModified && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'p') {
        event.preventDefault();
        if (!document.querySelector('dialog[open]')) latest.current.quickOpen();
        return;
      }
      if (document.querySelector('dialog[open]')) return;
      const digit = /^Digit([1-9])$/.exec(event.code)?.[1];
      if (event.altKey && !isModified && digit !== undefined) {
        event.preventDefault();
        latest.current.card(Number(digit) - 1);
      } else if (event.key === '?' && !isModified && !isWriting(event.target)) {
        event.preventDefault();
        latest.current.keyboard();
      }
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
