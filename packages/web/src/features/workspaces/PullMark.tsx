/** The state of a workspace's pull request in its line (B55); opens it. */
import { pulls as pullsArea } from '@tugdeck/protocol/areas/pulls';
import type { PullRef } from '@tugdeck/protocol/workspaces/pull';
import type { WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import { exactTime } from '../../kit/format.ts';
import { openShellDialog } from '../../kit/shell-dialog.ts';
import { useArea } from '../../kit/use-area.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { pullLine } from './pull-text.ts';
import { usePull } from './use-pull.ts';

export interface PullMarkProps {
  row: WorkspaceRow;
  pull: PullRef;
  session: string;
}

export function PullMark({ row, pull, session }: PullMarkProps) {
  const { channel } = useArea(pullsArea, { project: row.project });
  const { state, fault } = usePull(channel, row.id, pull.number);
  const title = [state ? `As of ${exactTime(state.at)}` : '', fault ?? state?.stale ?? '']
    .filter(Boolean)
    .join('. ');
  return (
    <Button
      look="quiet"
      className="workspace-line-pull"
      title={visibleText(title)}
      onClick={() => openShellDialog({ kind: 'pull', workspace: row.id, session })}
    >
      <span className="truncate">{visibleText(state ? pullLine(state) : `#${pull.number}`)}</span>
    </Button>
  );
}
