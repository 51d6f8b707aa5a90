/** The diff of the chosen file with hunk actions (W3): S stages, U unstages, D discards, Esc goes back. */
import type { GitFile, ShownHunk } from '@tugdeck/protocol/git/git-messages';
import { X } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { DiffCounts } from '../../features/diff/DiffCounts.tsx';
import { HunkList } from '../../features/diff/HunkList.tsx';
import { visiblePath } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { Blame } from './Blame.tsx';
import { conflictText } from './change-groups.ts';
import type { GitStore, GitView } from './git-store.ts';

export interface DiffPaneProps {
  store: GitStore;
  view: GitView;
  file: GitFile;
  onBack: () => void;
}

export function DiffPane({ store, view, file, onBack }: DiffPaneProps) {
  const { chosen, change, changeFault } = view;
  const [confirming, setConfirming] = useState<ShownHunk>();
  const [blamed, setBlamed] = useState<string>();
  const isStaged = chosen?.side === 'staged';
  const { path } = file;
  const isBlamed = blamed === path;
  const stage = (hunk: ShownHunk) =>
    void store.act('Staging…', isStaged ? 'hunk.unstage' : 'hunk.stage', { path, hunk: hunk.id });
  const onKey = (hunk: ShownHunk, key: string) => {
    if (file.conflict !== undefined) return false;
    if (key === (isStaged ? 'u' : 's')) stage(hunk);
    else if ((key === 'd' || key === 'Delete') && !isStaged) setConfirming(hunk);
    else return false;
    return true;
  };
  const actions = (hunk: ShownHunk) =>
    file.conflict === undefined && !file.submodule ? (
      <>
        {isStaged ? null : (
          <Button look="quiet" onClick={() => setConfirming(hunk)}>
            Discard
          </Button>
        )}
        <Button look="quiet" onClick={() => stage(hunk)}>
          {isStaged ? 'Unstage' : 'Stage'}
        </Button>
      </>
    ) : null;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || confirming) return;
    event.stopPropagation();
    onBack();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Esc goes back from anywhere inside
    <div className="git-diff" onKeyDown={onKeyDown}>
      <header className="git-diff-head">
        <span className="git-diff-path" title={visiblePath(path)}>
          <bdi>{visiblePath(path)}</bdi>
        </span>
        {change ? <DiffCounts files={[change]} /> : null}
        <span className="git-diff-acts">
          {file.work === '?' || file.submodule ? null : (
            <Button
              look="quiet"
              aria-pressed={isBlamed}
              onClick={() => setBlamed(isBlamed ? undefined : path)}
            >
              Blame
            </Button>
          )}
          <IconButton icon={X} label="Close diff" onClick={onBack} />
        </span>
      </header>
      {file.conflict === undefined ? null : <Resolve store={store} path={path} conflict={file.conflict} />}
      <div className="git-diff-body">
        {isBlamed ? <Blame store={store} path={path} /> : null}
        {!isBlamed && changeFault ? <p className="fault git-pad">{changeFault}</p> : null}
        {!isBlamed && change ? (
          <HunkList change={change} actions={actions} onKey={onKey} onWhole={() => store.showWhole()} />
        ) : null}
        {!isBlamed && !change && !changeFault ? <div className="pane-waiting" aria-busy="true" /> : null}
      </div>
      {confirming ? (
        <ConfirmDialog
          title="Discard this change?"
          text={`These lines of ${visiblePath(path)} go back to the staged version. This can’t be undone.`}
          action="Discard"
          onConfirm={() =>
            void store.act('Discarding…', 'hunk.discard', { path, hunk: confirming.id, confirmed: true })
          }
          onClose={() => setConfirming(undefined)}
        />
      ) : null}
    </div>
  );
}

function Resolve({ store, path, conflict }: { store: GitStore; path: string; conflict: string }) {
  const resolve = (how: 'ours' | 'theirs' | 'mine') =>
    void store.act('Resolving…', 'resolve', { path, with: how });
  return (
    <div className="git-resolve">
      <span>Conflict: {conflictText(conflict)}</span>
      <Button onClick={() => resolve('ours')}>Use ours</Button>
      <Button onClick={() => resolve('theirs')}>Use theirs</Button>
      <Button onClick={() => resolve('mine')}>Mark resolved</Button>
    </div>
  );
}
