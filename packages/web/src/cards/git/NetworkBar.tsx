/** Fetches, pulls and pushes (W41). While one runs, it can be stopped. */
import type { RepositoryStatus } from '@tugdeck/protocol/git/git-messages';
import { openShellDialog } from '../../kit/shell-dialog.ts';
import { Button } from '../../ui/Button.tsx';
import { FETCHING, type GitStore, PULLING } from './git-store.ts';

export interface NetworkBarProps {
  store: GitStore;
  status: RepositoryStatus;
  busy: string | undefined;
}

export function NetworkBar({ store, status, busy }: NetworkBarProps) {
  const { branch, upstream } = status;
  if (busy === FETCHING || busy === PULLING) {
    return (
      <div className="git-network">
        <span className="pane-fact">{busy}</span>
        <Button look="quiet" onClick={() => void store.area.call('network.stop').catch(() => undefined)}>
          Stop
        </Button>
      </div>
    );
  }
  return (
    <div className="git-network">
      <Button look="quiet" onClick={() => void store.act(FETCHING, 'fetch', {})}>
        Fetch
      </Button>
      {upstream && !upstream.gone ? (
        <Button look="quiet" onClick={() => void store.act(PULLING, 'pull')}>
          Pull
        </Button>
      ) : null}
      {branch === undefined || status.commit === undefined ? null : (
        <Button look="quiet" onClick={() => openShellDialog({ kind: 'push', place: store.project })}>
          Push…
        </Button>
      )}
    </div>
  );
}
