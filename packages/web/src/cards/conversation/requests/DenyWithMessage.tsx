import { useState } from 'react';
import { Button } from '../../../ui/Button.tsx';

export interface DenyWithMessageProps {
  isWaiting: boolean;
  /** `interrupt`: the turn ends with it. */
  onDeny: (message: string, interrupt: boolean) => void;
}

/** A refusal in words: the agent goes on with them, or stops. */
export function DenyWithMessage({ isWaiting, onDeny }: DenyWithMessageProps) {
  const [message, setMessage] = useState('');
  const words = message.trim();
  return (
    <form
      className="request-refusal"
      onSubmit={(event) => {
        event.preventDefault();
        if (words !== '') onDeny(words, false);
      }}
    >
      <input
        className="field"
        aria-label="Reason"
        placeholder="What the agent should do instead"
        value={message}
        onChange={(event) => setMessage(event.target.value)}
      />
      <Button type="submit" disabled={isWaiting || words === ''}>
        Refuse with this
      </Button>
      <Button disabled={isWaiting} onClick={() => onDeny(words, true)}>
        Refuse and stop
      </Button>
    </form>
  );
}
