/** Shows what is in a workspace before it is archived (B60). */
import './workspaces.css';
import type { WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import { useState } from 'react';
import { useReply } from '../../kit/use-area.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import type { WorkspacesArea } from './used-area.ts';
import { archiveLines } from './workspace-text.ts';

export interface ArchiveDialogProps {
  row: WorkspaceRow;
  area: WorkspacesArea;
  onClose: () => void;
}

export function ArchiveDialog({ row, area, onClose }: ArchiveDialogProps) {
  const { value, fault } = useReply(area.channel, 'contents', { workspace: row.id });
  const [isBusy, setBusy] = useState(false);
  const archive = async () => {
    setBusy(true);
    const isDone = await area.act((channel) => channel.call('archive', { workspace: row.id }));
    setBusy(false);
    if (isDone) onClose();
  };
  const problem = fault ?? area.fault ?? value?.refusal;
  return (
    <Dialog title={`Archive ${visibleText(row.name)}?`} onClose={onClose}>
      {value ? (
        <ul className="archive-lines">
          {archiveLines(value).map((line) => (
            <li key={line}>{visibleText(line)}</li>
          ))}
        </ul>
      ) : (
        <p className="dialog-note">{fault === undefined ? 'Checking its files…' : ''}</p>
      )}
      {problem === undefined ? null : (
        <p className="fault" role="alert">
          {visibleText(problem)}
        </p>
      )}
      <div className="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="primary"
          disabled={isBusy || value === undefined || value.refusal !== undefined}
          onClick={() => void archive()}
        >
          Archive
        </Button>
      </div>
    </Dialog>
  );
}
