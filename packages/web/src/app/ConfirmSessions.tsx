import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { useReadable } from '../ui/use-readable.ts';
import { confirming } from './session-actions.ts';

/** Asks before something is done to a session at work. */
export function ConfirmSessions() {
  const pending = useReadable(confirming);
  if (!pending) return null;
  const close = () => confirming.set(undefined);
  return (
    <ConfirmDialog
      title="Still at work"
      text={pending.text}
      action="Go on"
      onConfirm={pending.go}
      onClose={close}
    />
  );
}
