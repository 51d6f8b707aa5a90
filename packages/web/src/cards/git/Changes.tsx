/** The Changes view (W3): changed files, the chosen file's diff and the commit box. */
import type { RepositoryStatus } from '@tugdeck/protocol/git/git-messages';
import { useMemo, useRef, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { visiblePath } from '../../ui/visible-text.ts';
import { ChangeList } from './ChangeList.tsx';
import type { RowActions } from './ChangeRow.tsx';
import { CommitBox } from './CommitBox.tsx';
import { DiffPane } from './DiffPane.tsx';
import type { GitStore, GitView } from './git-store.ts';

export interface ChangesProps {
  store: GitStore;
  view: GitView;
  status: RepositoryStatus;
}

export function Changes({ store, view, status }: ChangesProps) {
  const list = useRef<HTMLDivElement>(null);
  const [discarded, setDiscarded] = useState<readonly string[]>();
  const [isAborting, setAborting] = useState(false);
  const { chosen, busy } = view;
  const acts = useMemo<RowActions>(
    () => ({
      choose: (path, side) => store.choose({ path, side }),
      stage: (paths) => void store.act({ type: 'stage', paths: [...paths] }, 'Staging…'),
      unstage: (paths) => void store.act({ type: 'unstage', paths: [...paths] }, 'Unstaging…'),
      discard: setDiscarded,
    }),
    [store],
  );
  const back = () => {
    const row = chosen && rowOf(list.current, chosen.path, chosen.side);
    store.choose(undefined);
    row?.focus();
  };
  const file = chosen && status.files.find(({ path }) => path === chosen.path);
  return (
    <div className="git-changes" data-split={file !== undefined || undefined}>
      <div className="git-list" ref={list}>
        {status.operation === undefined ? null : (
          <p className="git-operation">
            <span>{OPERATIONS[status.operation]}</span>
            {status.operation === 'bisect' ? null : (
              <Button look="quiet" onClick={() => setAborting(true)}>
                Give it up
              </Button>
            )}
          </p>
        )}
        <ChangeList status={status} chosen={chosen} acts={acts} />
      </div>
      {file ? <DiffPane key={file.path} store={store} view={view} file={file} onBack={back} /> : null}
      <CommitBox store={store} status={status} busy={busy} />
      {discarded ? (
        <ConfirmDialog
          title="Discard changes?"
          text={`${discarded.map(visiblePath).join(', ')}: what is not staged is lost, and a new file is deleted. That cannot be undone.`}
          action="Discard"
          onConfirm={() =>
            void store.act({ type: 'discard', paths: [...discarded], confirmed: true }, 'Discarding…')
          }
          onClose={() => setDiscarded(undefined)}
        />
      ) : null}
      {isAborting ? (
        <ConfirmDialog
          title={`Give up the ${status.operation}?`}
          text="The files go back to what they were before it began. What was resolved so far is lost."
          action="Give it up"
          onConfirm={() => void store.act({ type: 'abort', confirmed: true }, 'Giving up…')}
          onClose={() => setAborting(false)}
        />
      ) : null}
    </div>
  );
}

const OPERATIONS = {
  merge: 'A merge is under way.',
  rebase: 'A rebase is under way.',
  'cherry-pick': 'A cherry-pick is under way.',
  revert: 'A revert is under way.',
  bisect: 'A bisect is under way.',
} as const;

function rowOf(list: HTMLElement | null, path: string, side: string): HTMLElement | undefined {
  const rows = list?.querySelectorAll<HTMLElement>('.git-row-main') ?? [];
  return [...rows].find((row) => row.dataset.path === path && row.dataset.side === side);
}
