import { type SyntheticEvent, useCallback } from 'react';

/**
 * For a `dialog`: modal from when it is drawn, by the browser; closed, the focus goes back to where it was. The browser tells
 * of the close only later, when the next key may have opened another one: Esc is taken when it is pressed.
 */
export function useModal(onClose: () => void) {
  const ref = useCallback((dialog: HTMLDialogElement | null) => {
    if (!dialog) return;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  // A file that was not chosen inside of it cancels too, and is not meant.
  const onCancel = ({ target, currentTarget }: SyntheticEvent) => {
    if (target === currentTarget) onClose();
  };
  return { ref, onCancel, onClose };
}
