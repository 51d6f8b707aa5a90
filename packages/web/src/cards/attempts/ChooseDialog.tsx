/** Shows what is kept of the other attempts before they are archived (B40). */
import type { attempts } from '@tugdeck/protocol/areas/attempts';
import { workspaces as workspacesArea } from '@tugdeck/protocol/areas/workspaces';
import type { AttemptsRow } from '@tugdeck/protocol/attempts/attempts';
import { useState } from 'react';
import { letterOf } from '../../features/workspaces/attempts.ts';
import type { WorkspacesArea } from '../../features/workspaces/used-area.ts';
import { archiveLines } from '../../features/workspaces/workspace-text.ts';
import { type UsedArea, useArea, useReply } from '../../kit/use-area.ts';
import { useWorkspace } from '../../kit/use-workspace.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';

export interface ChooseDialogProps {
  group: AttemptsRow;
  session: string;
  area: UsedArea<typeof attempts>;
  onClose: () => void;
}

export function ChooseDialog({ group, session, area, onClose }: ChooseDialogProps) {
  const workspaces = useArea(workspacesArea, { project: group.project });
  const [isBusy, setBusy] = useState(false);
  const letter = letterOf(group.attempts.findIndex((one) => one.session === session) + 1);
  const choose = async () => {
    setBusy(true);
    const isDone = await area.act((channel) => channel.call('choose', { group: group.id, session }));
    setBusy(false);
    if (isDone) onClose();
  };
  return (
    <Dialog title={`Choose attempt ${letter}?`} onClose={onClose}>
      <p className="dialog-note">
        The other attempts will be archived with their sessions. They can be restored.
      </p>
      <ul className="choose-others">
        {group.attempts.map((attempt, index) =>
          attempt.session === session ? null : (
            <Other key={attempt.session} letter={letterOf(index + 1)} attempt={attempt} area={workspaces} />
          ),
        )}
      </ul>
      {area.fault === undefined ? null : (
        <p className="fault" role="alert">
          {visibleText(area.fault)}
        </p>
      )}
      <div className="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" disabled={isBusy} onClick={() => void choose()}>
          {isBusy ? 'Archiving…' : `Choose ${letter}`}
        </Button>
      </div>
    </Dialog>
  );
}

interface OtherProps {
  letter: string;
  attempt: AttemptsRow['attempts'][number];
  area: WorkspacesArea;
}

function Other({ letter, attempt, area }: OtherProps) {
  const row = useWorkspace(attempt.workspace);
  const isOnDisk = row?.state === 'ready';
  const channel = isOnDisk ? area.channel : undefined;
  const { value, fault } = useReply(channel, 'contents', { workspace: attempt.workspace });
  // The first line is the same for all.
  const lines = value ? archiveLines(value).slice(1) : [];
  return (
    <li>
      <b>{`${letter} · ${visibleText(row?.name ?? attempt.agent)}`}</b>
      <span>{isOnDisk ? visibleText(fault ?? lines.join('. ')) : 'Nothing to archive'}</span>
      {value?.refusal === undefined ? null : <span className="fault">{visibleText(value.refusal)}</span>}
    </li>
  );
}
