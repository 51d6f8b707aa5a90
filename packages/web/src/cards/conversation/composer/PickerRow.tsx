import type { MouseEvent, ReactNode } from 'react';

/** The row of pickers in the composer's foot. After a choice, typing continues in the message box. */
export function PickerRow({ children }: { children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its menus have the keys
    // biome-ignore lint/a11y/useKeyWithClickEvents: its menus have the keys
    <div className="pickers" onClick={returnFocus}>
      {children}
    </div>
  );
}

/** Not on a phone, where the keyboard would open. */
function returnFocus({ target, currentTarget }: MouseEvent): void {
  if (!(target as Element).closest('.menu-item') || !matchMedia('(pointer: fine)').matches) return;
  currentTarget.closest('.composer-box')?.querySelector('textarea')?.focus({ preventScroll: true });
}
