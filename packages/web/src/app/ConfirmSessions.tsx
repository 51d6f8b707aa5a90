import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { useReadable } from '../ui/use-readable.ts';
import { confirming } from './session-acts.ts';

/** Asks before something is done to a session at work. */
export function ConfirmSessions() {
  const asked = useReadable(confirming);
  if (!asked) return null;
  const close = () => confirming.set(undefined);
  return (
    <ConfirmDialog
      title="Still at work"
      text={asked.text}
      action="Go on"
      onConfirm={asked.go}
      onClose={close}
    />
  );
}
