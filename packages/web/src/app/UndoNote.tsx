import { Button } from '../ui/Button.tsx';
import { useReadable } from '../ui/use-readable.ts';
import { forgetNote, lastNote } from './undo.ts';

export function UndoNote() {
  const note = useReadable(lastNote);
  if (!note) return null;
  const { text, undo } = note;
  const close = () => {
    forgetNote();
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
