import { Button } from '../../ui/Button.tsx';

export interface TrustActionsProps {
  canLeaveOut: boolean;
  onTrust: () => void;
  onRefuse: () => void;
}

/** The buttons of the trust question: the only place where a yes to a project is given. */
export function TrustActions({ canLeaveOut, onTrust, onRefuse }: TrustActionsProps) {
  return (
    <div className="dialog-actions">
      <Button onClick={onRefuse}>{canLeaveOut ? 'Start without it' : 'Cancel'}</Button>
      <Button look="warning" onClick={onTrust}>
        Trust
      </Button>
    </div>
  );
}
