import { X } from 'lucide-react';
import { IconButton } from '../../ui/IconButton.tsx';
import { useModal } from '../../ui/use-modal.ts';

export interface ImageDialogProps {
  name: string;
  url: string;
  onClose: () => void;
}

/** An image in full size. Esc, the button or a click outside closes it. */
export function ImageDialog({ name, url, onClose }: ImageDialogProps) {
  const modal = useModal(onClose);
  return (
    <dialog
      {...modal}
      className="image-dialog"
      aria-label={name}
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
