/** The sessions of one workspace in the sidebar, below those of its project's checkout (B34). */
import './workspace-group.css';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import type { WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import { GitBranch } from 'lucide-react';
import { workspaceStateText } from '../features/workspaces/workspace-text.ts';
import { openShellDialog } from '../kit/shell-dialog.ts';
import { visiblePath, visibleText } from '../kit/visible-text.ts';
import { Icon } from '../ui/Icon.tsx';
import { SessionRows } from './SessionRows.tsx';

export interface WorkspaceSectionProps {
  workspace: WorkspaceRow;
  sessions: readonly SessionRow[];
  isFiltered: boolean;
}

export function WorkspaceSection({ workspace, sessions, isFiltered }: WorkspaceSectionProps) {
  const { name, project, path, branch, state } = workspace;
  const label = visibleText(name);
  return (
    <section className="workspace-group" aria-label={`Sessions in ${label}`}>
      <button
        type="button"
        className="workspace-group-name"
        data-roving={name}
        tabIndex={-1}
        title={`${visibleText(branch ?? '')}\n${visiblePath(path)}`}
        onClick={() => openShellDialog({ kind: 'workspaces', project })}
      >
        <Icon icon={GitBranch} size={13} />
        <span className="truncate">{label}</span>
        {state === 'ready' ? null : (
          <span className="workspace-group-state">{workspaceStateText(workspace)}</span>
        )}
      </button>
      <SessionRows sessions={sessions} isFiltered={isFiltered} />
    </section>
  );
}
