/** Below the header of a session in a workspace (B5, B36): name, branch, base, changes and commits. */
import './workspaces.css';
import { git as gitArea } from '@tugdeck/protocol/areas/git';
import { workspaces as workspacesArea } from '@tugdeck/protocol/areas/workspaces';
import type { WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import { Ellipsis, GitBranch } from 'lucide-react';
import { useState } from 'react';
import { plural } from '../../kit/format.ts';
import { openCard } from '../../kit/layout/open-card.ts';
import type { MenuChoice } from '../../kit/offered-actions.ts';
import { openChanges } from '../../kit/open-changes.ts';
import { openShellDialog } from '../../kit/shell-dialog.ts';
import { useArea, useReply } from '../../kit/use-area.ts';
import { useWorkspace } from '../../kit/use-workspace.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { ArchiveDialog } from './ArchiveDialog.tsx';
import { PullMark } from './PullMark.tsx';
import { RunMenu } from './RunMenu.tsx';

export interface WorkspaceLineProps {
  workspace: string;
  session: string;
}

export function WorkspaceLine({ workspace, session }: WorkspaceLineProps) {
  const row = useWorkspace(workspace);
  return row ? <Line row={row} session={session} /> : null;
}

function Line({ row, session }: { row: WorkspaceRow; session: string }) {
  const { id, name, project, state, base, baseCommit, path } = row;
  const isReady = state === 'ready' && row.step === undefined;
  const area = useArea(workspacesArea, { project });
  const { state: status } = useArea(gitArea, state === 'ready' ? { project: id } : undefined);
  const now = status?.kind === 'repository' ? status : undefined;
  const moment = `${isReady} ${now?.branch} ${now?.commit}`;
  const { value } = useReply(isReady ? area.channel : undefined, 'status', { workspace: id }, moment);
  const [isArchiving, setArchiving] = useState(false);
  const branch = now?.branch ?? value?.branch ?? row.branch;
  const changed = now ? now.files.length + now.more : 0;
  const from = [base, baseCommit?.slice(0, 8)].filter(Boolean).join(' ');
  const distance = [
    value?.ahead ? plural(value.ahead, 'commit') : '',
    value?.behind ? `${value.behind} behind` : '',
  ].filter(Boolean);
  const land = () => openShellDialog({ kind: 'land', project, workspace: id });
  const choices: MenuChoice[] = [
    { id: 'changes', label: 'Review changes', onChoose: () => openChanges(id, session) },
    {
      id: 'terminal',
      label: 'Open terminal',
      detail: visiblePath(path),
      onChoose: () => void openCard('terminal', { project: id }),
    },
    { id: 'git', label: 'Open Git', onChoose: () => void openCard('git', { project: id }) },
    { id: 'path', label: 'Copy path', onChoose: () => void navigator.clipboard.writeText(path) },
    ...(isReady ? [{ id: 'land', label: 'Land…', isApart: true, onChoose: land }] : []),
    ...(isReady && branch !== undefined
      ? [{ id: 'push', label: 'Push…', onChoose: () => openShellDialog({ kind: 'push', place: id }) }]
      : []),
    ...(isReady && (branch !== undefined || row.pull)
      ? [
          {
            id: 'pull',
            label: row.pull ? `Pull request #${row.pull.number}…` : 'Pull request…',
            onChoose: () => openShellDialog({ kind: 'pull', workspace: id, session }),
          },
        ]
      : []),
    {
      id: 'handoff',
      label: 'Hand off session…',
      onChoose: () => openShellDialog({ kind: 'handoff', session }),
    },
    {
      id: 'list',
      label: 'All workspaces…',
      isApart: true,
      onChoose: () => openShellDialog({ kind: 'workspaces', project }),
    },
    ...(isReady ? [{ id: 'archive', label: 'Archive…', onChoose: () => setArchiving(true) }] : []),
  ];
  return (
    <section className="workspace-line" aria-label={`Workspace ${visibleText(name)}`}>
      <span className="workspace-line-name" title={visiblePath(`${branch ?? ''}\n${path}`)}>
        <Icon icon={GitBranch} size={14} />
        <span className="truncate">{visibleText(name)}</span>
      </span>
      <span className="workspace-line-facts">
        {branch === undefined ? <span>detached</span> : null}
        {branch === undefined || branch.endsWith(`/${name}`) ? null : (
          <span className="truncate">{visibleText(branch)}</span>
        )}
        {from === '' ? null : (
          <span className="workspace-line-base truncate">{`from ${visibleText(from)}`}</span>
        )}
        {distance.length === 0 ? null : <span>{distance.join(', ')}</span>}
        {changed === 0 ? null : <span>{plural(changed, 'changed file')}</span>}
        {row.port === undefined ? null : <span className="workspace-line-more">{`port ${row.port}`}</span>}
      </span>
      <span className="workspace-line-acts">
        {isReady && row.pull ? <PullMark row={row} pull={row.pull} session={session} /> : null}
        {value?.runs ? <RunMenu row={row} area={area} names={value.runs} /> : null}
        {changed === 0 && (value?.ahead ?? 0) === 0 ? null : (
          <Button look="quiet" onClick={() => openChanges(id, session)}>
            Review
          </Button>
        )}
        {isReady && (changed > 0 || (value?.ahead ?? 0) > 0) ? (
          <Button look="quiet" className="workspace-line-more" onClick={land}>
            Land…
          </Button>
        ) : null}
        <Menu label={`Actions for workspace ${visibleText(name)}`} className="icon-button" choices={choices}>
          <Icon icon={Ellipsis} />
        </Menu>
      </span>
      {isArchiving ? <ArchiveDialog row={row} area={area} onClose={() => setArchiving(false)} /> : null}
    </section>
  );
}
