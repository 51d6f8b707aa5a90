import { currentNote, dismissNote } from '../kit/undo.ts';
import { useReadable } from '../kit/use-readable.ts';
import { Button } from '../ui/Button.tsx';

export function UndoNote() {
  const note = useReadable(currentNote);
  if (!note) return null;
  const { text, undo } = note;
  const close = () => {
    dismissNote();
    undo?.();
  };
  return (
    <div className="undo-note" role={undo ? 'status' : 'alert'} data-fault={undo === undefined}>
      <span>{text}</span>
      <Button look="link" onClick={close}>
        {undo ? 'Undo' : 'Close'}
      </Button>
    </div>
  );
}
