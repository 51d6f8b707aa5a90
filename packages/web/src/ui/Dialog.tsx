import type { ReactNode } from 'react';
import { useModal } from './use-modal.ts';

export interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** A modal one, by the browser: it keeps focus inside, Esc closes, focus goes back to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const modal = useModal(onClose);
  return (
    <dialog {...modal} className="dialog" aria-label={title}>
      <div className="dialog-body">
        <h2 className="dialog-title">{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
