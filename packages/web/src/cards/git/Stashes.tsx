/** Stashes (W3): create, view, apply, drop. */
import type { GitStash, RepositoryStatus } from '@tugdeck/protocol/git/git-messages';
import { useState } from 'react';
import { ago } from '../../kit/format.ts';
import { useReply } from '../../kit/use-area.ts';
import { useNow } from '../../kit/use-now.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { CommitFiles } from './CommitFiles.tsx';
import type { GitStore } from './git-store.ts';
import { NameForm } from './NameForm.tsx';

export function Stashes({ store, status }: { store: GitStore; status: RepositoryStatus }) {
  const [dropped, setDropped] = useState<GitStash>();
  const [open, setOpen] = useState<string>();
  const [changed, setChanged] = useState(0);
  const when = `${status.stashes} ${changed}`;
  const { value, fault } = useReply(store.area, 'stashes', {}, when);
  const now = useNow('half-minute');
  const after = async (done: Promise<boolean>) => {
    const isDone = await done;
    setChanged((times) => times + 1);
    return isDone;
  };
  return (
    <div className="git-scroll">
      <NameForm
        label="Stash message"
        placeholder="Stash message (optional)"
        action="Stash"
        isOptional
        isDisabled={status.files.length === 0 || status.commit === undefined}
        onName={(message) => after(store.act('Stashing…', 'stash.push', { message, untracked: true }))}
      />
      {fault === undefined ? null : <p className="fault git-pad">{fault}</p>}
      {value?.stashes.length === 0 ? <p className="pane-empty">No stashes</p> : null}
      <ul className="git-rows">
        {value?.stashes.map((stash) => (
          <li key={stash.commit}>
            <div className="git-row git-stash">
              <button
                type="button"
                className="git-row-main"
                aria-expanded={open === stash.commit}
                onClick={() => setOpen(open === stash.commit ? undefined : stash.commit)}
              >
                <span className="git-path git-row-words">
                  <span className="git-name">{visibleText(stash.text)}</span>
                  <span className="git-folder">{ago(stash.at, now)}</span>
                </span>
              </button>
              <span className="git-stash-acts">
                <Button
                  look="quiet"
                  onClick={() =>
                    void after(
                      store.act('Applying stash…', 'stash.apply', { commit: stash.commit, pop: true }),
                    )
                  }
                >
                  Pop
                </Button>
                <Button
                  look="quiet"
                  onClick={() =>
                    void after(store.act('Applying stash…', 'stash.apply', { commit: stash.commit }))
                  }
                >
                  Apply
                </Button>
                <Button look="quiet" onClick={() => setDropped(stash)}>
                  Drop
                </Button>
              </span>
            </div>
            {open === stash.commit ? (
              <div className="git-commit-files">
                <CommitFiles store={store} commit={stash.commit} />
                {stash.untracked === undefined ? null : (
                  <CommitFiles store={store} commit={stash.untracked} />
                )}
              </div>
            ) : null}
          </li>
        ))}
      </ul>
      {dropped ? (
        <ConfirmDialog
          title="Drop this stash?"
          text={`“${visibleText(dropped.text)}” will be deleted. This can’t be undone.`}
          action="Drop"
          onConfirm={() =>
            void after(store.act('Dropping…', 'stash.drop', { commit: dropped.commit, confirmed: true }))
          }
          onClose={() => setDropped(undefined)}
        />
      ) : null}
    </div>
  );
}
