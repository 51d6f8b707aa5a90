import type { WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import { useState } from 'react';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import type { WorkspacesArea } from './used-area.ts';
import { workspaceStateText } from './workspace-text.ts';

export interface WorkspaceItemProps {
  row: WorkspaceRow;
  area: WorkspacesArea;
  onStart: () => void;
  onArchive: () => void;
}

export function WorkspaceItem({ row, area, onStart, onArchive }: WorkspaceItemProps) {
  const [isForgetting, setForgetting] = useState(false);
  const { id, name, state, branch, base, baseCommit, path, fault, notes = [] } = row;
  const label = visibleText(name);
  const forget = () => void area.act((channel) => channel.call('forget', { workspace: id, confirmed: true }));
  const from = base === undefined ? baseCommit?.slice(0, 8) : `${base} ${baseCommit?.slice(0, 8) ?? ''}`;
  return (
    <li className="workspace" data-state={state}>
      <div className="workspace-lines">
        <span className="workspace-name truncate" title={visiblePath(path)}>
          {label}
        </span>
        <span className="workspace-detail truncate">
          {visibleText([workspaceStateText(row), branch, from && `from ${from}`].filter(Boolean).join(' · '))}
        </span>
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
            <Button onClick={onStart} title={`Start a session in ${label}`}>
              New session
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
