import { useState } from 'react';
import { Button } from '../../../ui/Button.tsx';

export interface DenyWithMessageProps {
  isWaiting: boolean;
  onDeny: (message: string) => void;
}

export function DenyWithMessage({ isWaiting, onDeny }: DenyWithMessageProps) {
  const [message, setMessage] = useState('');
  return (
    <form
      className="request-extra"
      onSubmit={(event) => {
        event.preventDefault();
        if (message.trim() !== '') onDeny(message.trim());
      }}
    >
      <input
        className="field"
        aria-label="Reason"
        placeholder="What the agent should do instead"
        value={message}
        onChange={(event) => setMessage(event.target.value)}
      />
      <Button type="submit" disabled={isWaiting || message.trim() === ''}>
        Refuse with this
      </Button>
    </form>
  );
}
