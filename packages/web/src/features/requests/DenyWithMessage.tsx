import { useEffect, useRef } from 'react';
import { Button } from '../../ui/Button.tsx';

export interface DenyWithMessageProps {
  reason: string;
  isWaiting: boolean;
  onChange: (reason: string) => void;
  /** `interrupt`: also ends the turn. */
  onDeny: (interrupt: boolean) => void;
}

/** Denies with a message: the agent continues with it or stops. */
export function DenyWithMessage({ reason, isWaiting, onChange, onDeny }: DenyWithMessageProps) {
  const field = useRef<HTMLInputElement>(null);
  // It was opened for typing.
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  return (
    <form
      className="request-refusal"
      onSubmit={(event) => {
        event.preventDefault();
        if (reason.trim() !== '') onDeny(false);
      }}
    >
      <input
        ref={field}
        className="field"
        aria-label="Feedback"
        placeholder="What to do instead (sent with the denial)"
        value={reason}
        onChange={(event) => onChange(event.target.value)}
      />
      <Button disabled={isWaiting} onClick={() => onDeny(true)}>
        Deny and stop
      </Button>
    </form>
  );
}
