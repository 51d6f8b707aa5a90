/** The Git card (W3): the state of the project's repository and its actions. */
import type { GitStatus } from '@tugdeck/protocol/git/git-messages';
import { useEffect, useState } from 'react';
import { typeCommand } from '../../features/terminal/type-command.ts';
import type { CardProps } from '../../kit/card-kinds.ts';
import { useClient } from '../../kit/client-context.tsx';
import { useReadable } from '../../kit/use-readable.ts';
import { Button } from '../../ui/Button.tsx';
import { BranchBar } from './BranchBar.tsx';
import { Branches } from './Branches.tsx';
import { Changes } from './Changes.tsx';
import { GitStore } from './git-store.ts';
import { History } from './History.tsx';
import { NetworkBar } from './NetworkBar.tsx';
import { Stashes } from './Stashes.tsx';
import { Worktrees } from './Worktrees.tsx';
import '../../features/diff/hunks.css';
import './git.css';
import './rows.css';
import './history.css';

const VIEWS = ['changes', 'history', 'branches', 'stashes', 'worktrees'] as const;
type View = (typeof VIEWS)[number];
const LABELS: Readonly<Record<View, string>> = {
  changes: 'Changes',
  history: 'History',
  branches: 'Branches',
  stashes: 'Stashes',
  worktrees: 'Worktrees',
};

export default function GitCard({ params }: CardProps) {
  const client = useClient();
  const { project } = params;
  const [store, setStore] = useState<GitStore>();
  useEffect(() => {
    if (project === undefined) return;
    const made = new GitStore(client, project);
    setStore(made);
    return () => made.close();
  }, [client, project]);
  const [view, setView] = useState<View>('changes');
  return (
    <fieldset className="pane git" aria-label="Git">
      {store ? <Body store={store} view={view} onView={setView} /> : null}
      {project === undefined ? <p className="pane-empty">This project was removed</p> : null}
    </fieldset>
  );
}

function Body({ store, view, onView }: { store: GitStore; view: View; onView: (view: View) => void }) {
  const now = useReadable(store.view);
  const client = useClient();
  const { status, fault, isLost, busy, command } = now;
  const inTerminal = (typed: string) => {
    store.forgetFault();
    void typeCommand(client, store.project, typed).catch((error: unknown) => store.fail(error));
  };
  return (
    <>
      {status?.kind === 'repository' ? (
        <header className="pane-head">
          <BranchBar status={status} onOpen={() => onView('branches')} />
          <NetworkBar store={store} status={status} busy={busy} />
          <fieldset className="git-views">
            <legend className="visually-hidden">Show</legend>
            {VIEWS.map((one) => (
              <button
                key={one}
                type="button"
                className="git-view"
                aria-pressed={one === view}
                onClick={() => onView(one)}
              >
                {LABELS[one]}
                {one === 'stashes' && status.stashes > 0 ? (
                  <span className="git-count"> {status.stashes}</span>
                ) : null}
              </button>
            ))}
          </fieldset>
        </header>
      ) : null}
      {fault === undefined ? null : (
        <div className="pane-fault" role="alert">
          <p>{fault}</p>
          {command === undefined ? null : (
            <Button onClick={() => inTerminal(command)}>Open in a terminal</Button>
          )}
          <Button look="quiet" onClick={() => store.forgetFault()}>
            Dismiss
          </Button>
        </div>
      )}
      {isLost ? <p className="pane-note">Disconnected. This may be out of date.</p> : null}
      <p className="visually-hidden" role="status">
        {busy ?? ''}
      </p>
      {status?.kind !== 'repository' ? <NoRepository status={status} store={store} /> : null}
      {status?.kind === 'repository' && view === 'changes' ? (
        <Changes store={store} view={now} status={status} />
      ) : null}
      {status?.kind === 'repository' && view === 'history' ? (
        <History store={store} head={status.commit} />
      ) : null}
      {status?.kind === 'repository' && view === 'branches' ? (
        <Branches store={store} status={status} />
      ) : null}
      {status?.kind === 'repository' && view === 'stashes' ? <Stashes store={store} status={status} /> : null}
      {status?.kind === 'repository' && view === 'worktrees' ? <Worktrees store={store} /> : null}
    </>
  );
}

function NoRepository({ status, store }: { status: GitStatus | undefined; store: GitStore }) {
  if (!status) return <div className="pane-waiting" aria-busy="true" />;
  switch (status.kind) {
    case 'none':
      return (
        <div className="pane-empty">
          <p>Not a Git repository</p>
          <Button look="primary" onClick={() => void store.act('Initializing…', 'init')}>
            Initialize repository
          </Button>
        </div>
      );
    case 'bare':
      return <p className="pane-empty">Bare repository: no working files to show</p>;
    case 'fault':
      return (
        <div className="pane-empty">
          <p className="fault">{status.message}</p>
          {status.hint === undefined ? null : <p>{status.hint}</p>}
        </div>
      );
    case 'repository':
      return null;
  }
}
