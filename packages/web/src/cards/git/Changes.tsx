/** The Changes view (W3): changed files, the chosen file's diff and the commit box. */
import type { RepositoryStatus } from '@tugdeck/protocol/git/git-messages';
import { useMemo, useRef, useState } from 'react';
import { visiblePath } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
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
      stage: (paths) => void store.act('Staging…', 'stage', { paths: [...paths] }),
      unstage: (paths) => void store.act('Unstaging…', 'unstage', { paths: [...paths] }),
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
                {`Abort ${status.operation}`}
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
          text={`${discarded.map(visiblePath).join(', ')}: unstaged changes will be lost and new files deleted. This can’t be undone.`}
          action="Discard"
          onConfirm={() =>
            void store.act('Discarding…', 'discard', { paths: [...discarded], confirmed: true })
          }
          onClose={() => setDiscarded(undefined)}
        />
      ) : null}
      {isAborting ? (
        <ConfirmDialog
          title={`Abort the ${status.operation}?`}
          text="Files return to their state before it started. Conflict resolutions will be lost."
          action="Abort"
          onConfirm={() => void store.act('Aborting…', 'abort', { confirmed: true })}
          onClose={() => setAborting(false)}
        />
      ) : null}
    </div>
  );
}

const OPERATIONS = {
  merge: 'Merge in progress',
  rebase: 'Rebase in progress',
  'cherry-pick': 'Cherry-pick in progress',
  revert: 'Revert in progress',
  bisect: 'Bisect in progress',
} as const;

function rowOf(list: HTMLElement | null, path: string, side: string): HTMLElement | undefined {
  const rows = list?.querySelectorAll<HTMLElement>('.git-row-main') ?? [];
  return [...rows].find((row) => row.dataset.path === path && row.dataset.side === side);
}
