/** Worktrees of the repository that the user or another program created (B89). */
import type { WorkspacesArea } from '../../features/workspaces/used-area.ts';
import { useReply } from '../../kit/use-area.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';

export interface FoundWorktreesProps {
  area: WorkspacesArea;
  /** Changes with the list of workspaces. */
  moment: number;
}

export function FoundWorktrees({ area, moment }: FoundWorktreesProps) {
  const { value } = useReply(area.channel, 'found', {}, moment);
  if (!value || value.worktrees.length === 0) return null;
  return (
    <section aria-label="Other worktrees" className="workspace-found">
      <h3>Other worktrees</h3>
      <p className="dialog-note">Created outside Tugdeck. They stay as they are.</p>
      <ul className="workspace-list">
        {value.worktrees.map(({ path, branch, commit, lock, isMissing }) => (
          <li key={path} className="workspace">
            <div className="workspace-lines">
              <span className="workspace-name truncate" title={visiblePath(path)}>
                {visiblePath(path)}
              </span>
              <span className="workspace-detail truncate">
                {visibleText(
                  [
                    branch ?? `detached at ${commit?.slice(0, 8) ?? 'an unknown commit'}`,
                    isMissing ? 'folder not found' : '',
                    lock === undefined ? '' : `locked${lock === '' ? '' : `: ${lock}`}`,
                  ]
                    .filter(Boolean)
                    .join(' · '),
                )}
              </span>
            </div>
            {isMissing || lock !== undefined ? null : (
              <Button
                title={`Use ${visiblePath(path)} as a workspace`}
                onClick={() => void area.act((channel) => channel.call('adopt', { path }))}
              >
                Use as workspace
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
