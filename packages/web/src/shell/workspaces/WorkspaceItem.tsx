import type { WorkspaceRow, WorkspaceSize } from '@tugdeck/protocol/workspaces/workspace';
import { useState } from 'react';
import type { WorkspacesArea } from '../../features/workspaces/used-area.ts';
import { workspaceStateText } from '../../features/workspaces/workspace-text.ts';
import { bytes } from '../../kit/format.ts';
import { openShellDialog } from '../../kit/shell-dialog.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';

/** Less is not worth a button. */
const MIN_FREED = 1024 * 1024;

export interface WorkspaceItemProps {
  row: WorkspaceRow;
  area: WorkspacesArea;
  /** Bytes on disk, once measured. */
  size?: WorkspaceSize | undefined;
  onStart: () => void;
  /** Its size has changed. */
  onFreed: () => void;
  onArchive: () => void;
}

export function WorkspaceItem({ row, area, size, onStart, onFreed, onArchive }: WorkspaceItemProps) {
  const [isForgetting, setForgetting] = useState(false);
  const { id, name, state, branch, base, baseCommit, path, fault, notes = [] } = row;
  const label = visibleText(name);
  const forget = () => void area.act((channel) => channel.call('forget', { workspace: id, confirmed: true }));
  const from = base === undefined ? baseCommit?.slice(0, 8) : `${base} ${baseCommit?.slice(0, 8) ?? ''}`;
  const onDisk = size && size.worktree + size.archive > 0 ? bytes(size.worktree + size.archive) : undefined;
  const ignored = size?.ignored ?? 0;
  const free = async () => {
    if (await area.act((channel) => channel.call('free', { workspace: id }))) onFreed();
  };
  const detail = [workspaceStateText(row), branch, from && `from ${from}`, onDisk, row.landed && 'landed'];
  return (
    <li className="workspace" data-state={state}>
      <div className="workspace-lines">
        <span className="workspace-name truncate" title={visiblePath(path)}>
          {label}
        </span>
        <span className="workspace-detail">{visibleText(detail.filter(Boolean).join(' · '))}</span>
        {fault === undefined ? null : <span className="fault">{visibleText(fault)}</span>}
        {state === 'ready'
          ? notes.map((note) => (
              <span key={note} className="workspace-detail">
                {visibleText(note)}
              </span>
            ))
          : null}
      </div>
      <div className="workspace-actions">
        {state === 'ready' ? (
          <>
            {ignored < MIN_FREED ? null : (
              <Button
                look="quiet"
                title={`Delete ignored folders of ${label} that can be recreated, such as node_modules`}
                onClick={() => void free()}
              >
                {`Free ${bytes(ignored)}`}
              </Button>
            )}
            <Button onClick={onStart} title={`Start a session in ${label}`}>
              New session
            </Button>
            <Button
              onClick={() => openShellDialog({ kind: 'land', project: row.project, workspace: id })}
              title={`Land ${label}`}
            >
              Land…
            </Button>
            <Button onClick={onArchive} title={`Archive ${label}`}>
              Archive…
            </Button>
          </>
        ) : null}
        {state === 'archived' ? (
          <Button
            onClick={() => void area.act((channel) => channel.call('restore', { workspace: id }))}
            title={`Restore ${label}`}
          >
            Restore
          </Button>
        ) : null}
        {state === 'archived' || state === 'failed' || state === 'missing' ? (
          <Button look="quiet" onClick={() => setForgetting(true)} title={`Delete ${label}`}>
            {state === 'archived' ? 'Delete archive…' : 'Remove…'}
          </Button>
        ) : null}
      </div>
      {isForgetting ? (
        <ConfirmDialog
          title={state === 'archived' ? `Delete the archive of ${label}?` : `Remove ${label} from the list?`}
          text={
            state === 'archived'
              ? 'Its files and unpublished commits are deleted now. This can’t be undone.'
              : 'Its folder no longer exists. Its branch stays in the repository.'
          }
          action={state === 'archived' ? 'Delete archive' : 'Remove'}
          onConfirm={forget}
          onClose={() => setForgetting(false)}
        />
      ) : null}
    </li>
  );
}
