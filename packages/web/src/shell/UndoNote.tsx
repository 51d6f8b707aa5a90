import { currentNote, dismissNote } from '../kit/undo.ts';
import { useReadable } from '../kit/use-readable.ts';
import { Button } from '../ui/Button.tsx';

export function UndoNote() {
  const note = useReadable(currentNote);
  if (!note) return null;
  const { text, undo, isFault = false } = note;
  const close = () => {
    dismissNote();
    undo?.();
  };
  return (
    <div className="undo-note" role={isFault ? 'alert' : 'status'} data-fault={isFault}>
      <span>{text}</span>
      <Button look="link" onClick={close}>
        {undo ? 'Undo' : 'Close'}
      </Button>
    </div>
  );
}
