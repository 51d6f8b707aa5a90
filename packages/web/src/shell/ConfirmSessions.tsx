import { confirming } from '../kit/session-actions.ts';
import { useReadable } from '../kit/use-readable.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';

/** Confirms an action on a session that is working. */
export function ConfirmSessions() {
  const pending = useReadable(confirming);
  if (!pending) return null;
  const close = () => confirming.set(undefined);
  return (
    <ConfirmDialog
      title="Still working"
      text={pending.text}
      action={pending.action}
      onConfirm={pending.go}
      onClose={close}
    />
  );
}
