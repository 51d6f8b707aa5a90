/** Pushes a branch (B52), after showing what is sent. */
import { typeCommand } from '../../features/terminal/type-command.ts';
import { useClient } from '../../kit/client-context.tsx';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { PushParts } from './PushParts.tsx';
import { usePush } from './use-push.ts';

export interface PushDialogProps {
  /** A project or a workspace. */
  place: string;
  branch?: string | undefined;
  onClose: () => void;
}

export function PushDialog({ place, branch, onClose }: PushDialogProps) {
  const client = useClient();
  const prepared = usePush(place, branch);
  const { preview, fault, failed, isBusy } = prepared;
  const push = async () => {
    if (await prepared.push()) onClose();
  };
  const inTerminal = (command: string) => {
    onClose();
    void typeCommand(client, place, command).catch(() => undefined);
  };
  const problem = failed?.text ?? fault ?? preview?.refusal;
  const isReady = preview !== undefined && preview.refusal === undefined && prepared.isConfirmed;
  return (
    <Dialog title={`Push ${visibleText(preview?.branch ?? branch ?? '')}`.trim()} onClose={onClose}>
      {preview ? (
        <PushParts prepared={prepared} />
      ) : (
        <p className="dialog-note">{problem === undefined ? 'Checking…' : ''}</p>
      )}
      {problem === undefined ? null : (
        <p className={failed || fault ? 'fault' : 'dialog-note'} role="alert">
          {visibleText(problem)}
        </p>
      )}
      {isBusy ? (
        <p className="dialog-note" role="status">
          Pushing…
        </p>
      ) : null}
      <div className="dialog-actions">
        {failed?.code === 'GIT_CREDENTIALS' && preview ? (
          <Button onClick={() => inTerminal(preview.command)}>Open in a terminal</Button>
        ) : null}
        <Button onClick={onClose}>{isBusy ? 'Close' : 'Cancel'}</Button>
        {isBusy ? (
          <Button onClick={prepared.stop}>Stop</Button>
        ) : (
          <Button look="primary" disabled={!isReady} onClick={() => void push()}>
            {preview?.lost ? 'Overwrite' : 'Push'}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
