import { AnswerNote } from './answers/AnswerNote.tsx';
import { useAnswerGuard } from './answers/use-answer-guard.ts';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';

export interface ConfirmDialogProps {
  title: string;
  text: string;
  /** The label of the confirm button. */
  action: string;
  onConfirm: () => void;
  onClose: () => void;
}

/** Confirms actions that cannot be undone or are dangerous; "Cancel" has the focus. */
export function ConfirmDialog({ title, text, action, onConfirm, onClose }: ConfirmDialogProps) {
  const guard = useAnswerGuard(title);
  return (
    <Dialog title={title} onClose={onClose}>
      <p className="dialog-text">{text}</p>
      <div className="dialog-actions" ref={guard.ref} aria-disabled={guard.isResting || undefined}>
        <AnswerNote refusal={guard.refusal} />
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="primary"
          onClick={() => {
            if (!guard.mayAnswer()) return;
            onClose();
            onConfirm();
          }}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
