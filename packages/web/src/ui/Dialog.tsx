import type { ReactNode } from 'react';
import { useModal } from './use-modal.ts';

export interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** A modal dialog by the browser: it traps the focus, Esc closes, the focus returns. */
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
