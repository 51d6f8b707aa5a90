import { X } from 'lucide-react';
import { useCallback } from 'react';
import { IconButton } from '../../../ui/IconButton.tsx';

export interface ImageDialogProps {
  name: string;
  url: string;
  onClose: () => void;
}

/** A picture as large as the page allows. Esc, the button or a click beside it closes it. */
export function ImageDialog({ name, url, onClose }: ImageDialogProps) {
  const show = useCallback((dialog: HTMLDialogElement | null) => {
    if (!dialog) return;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={show}
      className="image-dialog"
      aria-label={name}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <header className="image-dialog-head">
        <span className="truncate">{name}</span>
        <IconButton icon={X} label="Close" onClick={onClose} />
      </header>
      <img src={url} alt={name} />
    </dialog>
  );
}
