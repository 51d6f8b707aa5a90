import type { ConnectionStatus } from '@tugdeck/client/client';
import { createPortal } from 'react-dom';
import { useClient } from '../kit/client-context.tsx';
import { exactTime, localTime } from '../kit/format.ts';
import { lastOnline } from '../kit/last-online.ts';
import { useNow } from '../kit/use-now.ts';
import { useReadable } from '../kit/use-readable.ts';
import { Button } from '../ui/Button.tsx';

const LABELS: Readonly<Record<ConnectionStatus['state'], string>> = {
  connecting: 'Connecting',
  online: 'Connected',
  offline: 'Offline',
  stopped: 'Not running',
  stranger: 'Not Tugdeck',
  'signed-out': 'Signed out',
  outdated: 'Update available',
  ahead: 'Server out of date',
};

const EXPLANATIONS: Readonly<Record<ConnectionStatus['state'], string>> = {
  connecting: 'Connecting to the server',
  online: 'Connected to the server',
  offline: 'No response from this address. Run “tugdeck url” and open the link it prints.',
  stopped:
    'Tugdeck isn’t running. Start it with “tugdeck”. This page reconnects by itself and keeps your text.',
  stranger: 'Another program is using this address. Run “tugdeck url” and open the link it prints.',
  'signed-out': 'You’re signed out. Run “tugdeck url” and open the link it prints.',
  outdated: 'Tugdeck was updated. Reload to use the new version.',
  ahead: 'The server is older than this page. Run “tugdeck stop”, then “tugdeck”. Sessions keep running.',
};

type State = ConnectionStatus['state'];
/** States in which the user has to act. */
const NEEDS_ACTION: ReadonlySet<State> = new Set<State>(['stopped', 'stranger', 'signed-out']);
const CAN_RETRY: ReadonlySet<State> = new Set<State>(['offline', 'stopped']);
/** Failed attempts after which an offline page shows advice. */
const ADVICE_AFTER = 4;

/** The connection status, with advice while it is lost. `isBrief`: only a dot while online. */
export function ConnectionState({ isBrief = false }: { isBrief?: boolean }) {
  const client = useClient();
  const { state: reported, attempt } = useReadable(client.status);
  // A stored page is older than the server, not newer (N51).
  const state = reported === 'ahead' && isStored() ? 'outdated' : reported;
  const hasAdvice = NEEDS_ACTION.has(state) || (state === 'offline' && attempt >= ADVICE_AFTER);
  return (
    <div className="connection" data-state={state}>
      <span
        role="status"
        aria-label="Connection"
        data-state={state}
        className="connection-word"
        title={EXPLANATIONS[state]}
      >
        <span className="connection-dot" aria-hidden="true" />
        <span className={isBrief && state === 'online' ? 'visually-hidden' : ''}>{LABELS[state]}</span>
      </span>
      {CAN_RETRY.has(state) ? <AsOf /> : null}
      {CAN_RETRY.has(state) ? <Button onClick={() => client.reconnect()}>Reconnect</Button> : null}
      {state === 'outdated' ? <Button onClick={() => location.reload()}>Reload</Button> : null}
      {hasAdvice ? <Advice text={EXPLANATIONS[state]} /> : null}
    </div>
  );
}

/** Whether a service worker may have served the page. */
const isStored = () => navigator.serviceWorker?.controller != null;

/** The time of what is shown, while nothing newer arrives. */
function AsOf() {
  const at = useReadable(lastOnline);
  const now = useNow('half-minute');
  if (at === 0) return null;
  return (
    <time className="connection-as-of" title={exactTime(at)}>
      as of {localTime(at, now)}
    </time>
  );
}

/** Rendered outside the bar, which would clip it. */
function Advice({ text }: { text: string }) {
  return createPortal(
    <p className="connection-advice" role="alert">
      {text}
    </p>,
    document.body,
  );
}
