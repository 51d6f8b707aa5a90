import type { ConnectionStatus } from '@tugdeck/client/client';
import { Button } from '../ui/Button.tsx';
import { useReadable } from '../ui/use-readable.ts';
import { useClient } from './client-context.tsx';

const WORDS: Readonly<Record<ConnectionStatus['state'], string>> = {
  connecting: 'Connecting',
  online: 'Connected',
  offline: 'Offline',
  stopped: 'Not running',
  stranger: 'Not Tugdeck',
  'signed-out': 'Signed out',
  outdated: 'New version',
  ahead: 'Older server',
};

const EXPLAINED: Readonly<Record<ConnectionStatus['state'], string>> = {
  connecting: 'Connecting to the server.',
  online: 'Connected to the server.',
  offline: 'Nothing answers at this address. If Tugdeck runs, open the address that tugdeck url prints.',
  stopped: 'Start Tugdeck again with tugdeck. What you write is kept and sent once it is back.',
  stranger: 'Another program answers at this address. Open the address that tugdeck url prints.',
  'signed-out': 'Open the address that tugdeck url prints to sign in again.',
  outdated: 'The server was upgraded. Reload to get the new page.',
  ahead: 'The server is older than this page. Run tugdeck stop, then start it again: sessions go on.',
};

type State = ConnectionStatus['state'];
/** Nothing to wait for: the user has to do something. */
const TOLD: ReadonlySet<State> = new Set<State>(['stopped', 'stranger', 'signed-out']);
const RETRIED: ReadonlySet<State> = new Set<State>(['offline', 'stopped']);
/** Attempts after which an offline page does not just wait any longer. */
const PATIENCE = 4;

/** Quiet while all is well; says what can be done when it is not. */
export function ConnectionState() {
  const client = useClient();
  const { state, attempt } = useReadable(client.status);
  const isTold = TOLD.has(state) || (state === 'offline' && attempt >= PATIENCE);
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
      {RETRIED.has(state) ? <Button onClick={() => client.reconnect()}>Reconnect</Button> : null}
      {state === 'outdated' ? <Button onClick={() => location.reload()}>Reload</Button> : null}
      {isTold ? <p className="connection-advice">{EXPLAINED[state]}</p> : null}
    </div>
  );
}
