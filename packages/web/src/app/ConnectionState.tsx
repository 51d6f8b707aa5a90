import type { ConnectionStatus } from '@tugdeck/client/client';
import { Button } from '../ui/Button.tsx';
import { useReadable } from '../ui/use-readable.ts';
import { useClient } from './client-context.tsx';

const WORDS: Readonly<Record<ConnectionStatus['state'], string>> = {
  connecting: 'Connecting',
  online: 'Connected',
  offline: 'Offline',
  'signed-out': 'Signed out',
  outdated: 'New version',
  ahead: 'Older server',
};

const EXPLAINED: Readonly<Record<ConnectionStatus['state'], string>> = {
  connecting: 'Connecting to the server.',
  online: 'Connected to the server.',
  offline: 'The server cannot be reached. What you write is kept and sent once it is back.',
  'signed-out': 'Open the address that tugdeck prints to sign in again.',
  outdated: 'The server was upgraded. Reload to get the new page.',
  ahead: 'The server is older than this page. Run tugdeck stop, then start it again: sessions go on.',
};

/** Quiet while all is well; says what can be done when it is not. */
export function ConnectionState() {
  const client = useClient();
  const { state } = useReadable(client.status);
  return (
    <div className="connection" data-state={state}>
      <span
        role="status"
        aria-label="Connection"
        data-state={state}
        className="connection-word"
        title={EXPLAINED[state]}
      >
        <span className="connection-dot" aria-hidden="true" />
        <span className={state === 'online' ? 'visually-hidden' : ''}>{WORDS[state]}</span>
      </span>
      {state === 'offline' ? <Button onClick={() => client.reconnect()}>Reconnect</Button> : null}
      {state === 'outdated' ? <Button onClick={() => location.reload()}>Reload</Button> : null}
    </div>
  );
}
