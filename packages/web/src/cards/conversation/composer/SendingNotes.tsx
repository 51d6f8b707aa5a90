import { useCard } from '../../../features/conversation/card-context.tsx';
import { faultText } from '../../../kit/deck-actions.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { useReadable } from '../../../kit/use-readable.ts';
import { Button } from '../../../ui/Button.tsx';
import type { Sending } from './use-sending.ts';

const ConfirmDialog = lazyComponent(() =>
  import('../../../ui/ConfirmDialog.tsx').then((part) => part.ConfirmDialog),
);

/** Above the message box: why a message was refused, the outcome of a command, and a question about an unknown one. */
export function SendingNotes({ sending }: { sending: Sending }) {
  const { channel } = useCard();
  const failure = useReadable(channel.fault);
  // The banner above already shows a failure of the session.
  const fault = failure && faultText(failure) === sending.fault ? undefined : sending.fault;
  return (
    <>
      {fault ? (
        <p className="composer-fault fault" role="alert">
          {fault}
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
