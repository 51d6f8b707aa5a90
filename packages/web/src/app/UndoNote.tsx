import { Button } from '../ui/Button.tsx';
import { useReadable } from '../ui/use-readable.ts';
import { forgetUndo, lastDone } from './undo.ts';

export function UndoNote() {
  const done = useReadable(lastDone);
  if (!done) return null;
  const undo = () => {
    forgetUndo();
    done.undo();
  };
  return (
    <div className="undo-note" role="status">
      <span className="truncate">{done.text}</span>
      <Button look="link" onClick={undo}>
        Undo
      </Button>
    </div>
  );
}
