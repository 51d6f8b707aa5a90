import { type FormEvent, useState } from 'react';
import { visibleText } from '../../../kit/visible-text.ts';
import { Button } from '../../../ui/Button.tsx';
import { useControlRequest } from './use-control-request.ts';

export interface McpSignInProps {
  server: string;
  /** A validated web URL. */
  address: string;
}

/**
 * A pending sign-in: the URL to open, and a field for browsers on another machine, which cannot reach the agent and
 * end at a URL that does not load.
 */
export function McpSignIn({ server, address }: McpSignInProps) {
  const { request, isPending, fault } = useControlRequest();
  const [reached, setReached] = useState('');
  const finish = (event: FormEvent) => {
    event.preventDefault();
    void request('mcp.sign-in.finish', { server, address: reached.trim() });
  };
  return (
    <form className="info-sign-in" onSubmit={finish}>
      <p>
        <a href={address} target="_blank" rel="noopener noreferrer">
          Open the sign-in page
        </a>{' '}
        <span className="muted">({visibleText(new URL(address).host)})</span>, then choose Refresh.
      </p>
      <label className="info-field">
        <span>If you end up on a page that doesn’t load, paste its address here:</span>
        <input
          className="field"
          type="url"
          required
          aria-label="Address you were sent to"
          value={reached}
          onChange={(event) => setReached(event.target.value)}
        />
      </label>
      <Button type="submit" disabled={isPending || reached.trim() === ''}>
        Finish
      </Button>
      {fault ? (
        <p className="fault" role="alert">
          {visibleText(fault)}
        </p>
      ) : null}
    </form>
  );
}
