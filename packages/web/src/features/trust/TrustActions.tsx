import { AnswerNote } from '../../ui/answers/AnswerNote.tsx';
import type { AnswerGuard } from '../../ui/answers/use-answer-guard.ts';
import { Button } from '../../ui/Button.tsx';

export interface TrustActionsProps {
  guard: AnswerGuard;
  canLeaveOut: boolean;
  onTrust: () => void;
  onRefuse: () => void;
}

/** The buttons of the trust dialog: the only place where a project is trusted. */
export function TrustActions({ guard, canLeaveOut, onTrust, onRefuse }: TrustActionsProps) {
  return (
    <div className="dialog-actions" ref={guard.ref} aria-disabled={guard.isResting || undefined}>
      <AnswerNote refusal={guard.refusal} />
      <Button onClick={onRefuse}>{canLeaveOut ? 'Start without it' : 'Cancel'}</Button>
      <Button look="warning" onClick={onTrust}>
        Trust
      </Button>
    </div>
  );
}
