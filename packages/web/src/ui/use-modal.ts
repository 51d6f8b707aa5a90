import { useCallback } from 'react';

/** For a `dialog`'s ref: modal from when it is drawn, by the browser; closed, the focus goes back to where it was. */
export function useModal() {
  return useCallback((dialog: HTMLDialogElement | null) => {
    if (!dialog) return;
    dialog.showModal();
    return () => dialog.close();
  }, []);
}
