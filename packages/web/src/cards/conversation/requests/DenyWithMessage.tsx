import { useEffect, useRef } from 'react';
import { Button } from '../../../ui/Button.tsx';

export interface DenyWithMessageProps {
  reason: string;
  isWaiting: boolean;
  onChange: (reason: string) => void;
  /** `interrupt`: the turn ends with it. */
  onDeny: (interrupt: boolean) => void;
}

/** A refusal in words: Deny sends them, and the agent goes on with them or stops. */
export function DenyWithMessage({ reason, isWaiting, onChange, onDeny }: DenyWithMessageProps) {
  const field = useRef<HTMLInputElement>(null);
  // It was opened to type into it.
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
        aria-label="Reason"
        placeholder="What the agent should do instead. Deny sends it"
        value={reason}
        onChange={(event) => onChange(event.target.value)}
      />
      <Button disabled={isWaiting} onClick={() => onDeny(true)}>
        Deny and stop
      </Button>
    </form>
  );
}
