import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { Button } from '../../../ui/Button.tsx';
import type { Sending } from './use-sending.ts';

const ConfirmDialog = lazyComponent(() =>
  import('../../../ui/ConfirmDialog.tsx').then((part) => part.ConfirmDialog),
);

/** Above the message box: why a message was refused, the outcome of a command, and a question about an unknown one. */
export function SendingNotes({ sending }: { sending: Sending }) {
  return (
    <>
      {sending.fault ? (
        <p className="composer-fault fault" role="alert">
          {sending.fault}
        </p>
      ) : null}
      {sending.note ? (
        <p className="composer-fault muted" role="status">
          {sending.note}{' '}
          {sending.addOutput ? (
            <Button look="link" onClick={sending.addOutput}>
              Add output to message
            </Button>
          ) : null}
        </p>
      ) : null}
      {sending.unknown ? (
        <ConfirmDialog
          title={`“/${sending.unknown.name}” isn’t a command`}
          text="Send it as a plain message instead?"
          action="Send as message"
          onConfirm={sending.unknown.send}
          onClose={sending.unknown.drop}
        />
      ) : null}
    </>
  );
}
