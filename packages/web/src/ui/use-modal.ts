import { type SyntheticEvent, useCallback } from 'react';

/**
 * Makes a `dialog` modal when mounted and restores the focus on close. Handles Esc on keydown: the browser reports
 * the close only later, when the next key may have opened another dialog.
 */
export function useModal(onClose: () => void) {
  const ref = useCallback((dialog: HTMLDialogElement | null) => {
    if (!dialog) return;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  // A canceled file picker inside also fires `cancel`, which is ignored.
  const onCancel = ({ target, currentTarget }: SyntheticEvent) => {
    if (target === currentTarget) onClose();
  };
  return { ref, onCancel, onClose };
}
