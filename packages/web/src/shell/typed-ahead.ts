/** Text typed for a dialog while it was loading. */
import { useLayoutEffect, useState } from 'react';

let typed = '';

export function typeAhead(key: string): void {
  if (key.length === 1) typed += key;
  else if (key === 'Backspace') typed = typed.slice(0, -1);
}

export function takeTyped(): string {
  const taken = typed;
  typed = '';
  return taken;
}

/**
 * The text of a dialog's box, with what was typed while it loaded. Taken when the dialog is shown: React may render it
 * much earlier, and what is typed in between belongs to it too.
 */
export function useTyped(begun = '') {
  const [text, setText] = useState(begun);
  useLayoutEffect(() => {
    const more = takeTyped();
    if (more !== '') setText((now) => now + more);
  }, []);
  return [text, setText] as const;
}
