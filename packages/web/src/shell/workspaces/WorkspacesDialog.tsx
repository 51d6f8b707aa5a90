/** The workspaces of a project (B1): create one, start a session in it, archive and restore it. */
import './workspaces.css';
import { newId } from '@tugdeck/client/new-id';
import { workspaces as workspacesArea } from '@tugdeck/protocol/areas/workspaces';
import type { WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import { type FormEvent, useState } from 'react';
import { ArchiveDialog } from '../../features/workspaces/ArchiveDialog.tsx';
import { totalText } from '../../features/workspaces/workspace-text.ts';
import { withTrust } from '../../kit/ask-trust.ts';
import { useClient } from '../../kit/client-context.tsx';
import { plural } from '../../kit/format.ts';
import { usableAgent } from '../../kit/projects.ts';
import { showSession } from '../../kit/route.ts';
import { useArea, useReply } from '../../kit/use-area.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { FoundWorktrees } from './FoundWorktrees.tsx';
import { SetupImports } from './SetupImports.tsx';
import { StartFrom } from './StartFrom.tsx';
import { WorkspaceItem } from './WorkspaceItem.tsx';

export interface WorkspacesDialogProps {
  project: string;
  onClose: () => void;
}

export function WorkspacesDialog({ project, onClose }: WorkspacesDialogProps) {
  const client = useClient();
  const deck = useReadable(client.deck);
  const area = useArea(workspacesArea, { project });
  const [title, setTitle] = useState('');
  const [archived, setArchived] = useState<WorkspaceRow>();
  const rows = (deck?.workspaces ?? []).filter((row) => row.project === project && row.state !== 'emptied');
  const name = deck?.projects.find(({ id }) => id === project)?.name ?? '';

  const [freed, setFreed] = useState(0);
  const moment = `${rows.map(({ state }) => state).join()} ${freed}`;
  const { value: measured } = useReply(area.channel, 'sizes', {}, moment);
  const sizeOf = (id: string) => measured?.sizes.find((size) => size.id === id);
  const landed = rows.filter((row) => row.landed && row.state === 'ready');
  const [isArchivingLanded, setArchivingLanded] = useState(false);
  const archiveLanded = () =>
    area.act(async (channel) => {
      for (const { id } of landed) await channel.call('archive', { workspace: id });
    });

  const create = async (event: FormEvent) => {
    event.preventDefault();
    if (await area.act((channel) => channel.call('create', { title: title.trim() }))) setTitle('');
  };
  const start = (workspace: string) =>
    area.act(async () => {
      const agent = deck && usableAgent(deck, project);
      if (agent === undefined) throw new Error('No agents installed');
      const session = newId();
      await withTrust(workspace, agent, () =>
        client.request({ type: 'session.create', session, project, agent, workspace: { id: workspace } }),
      );
      onClose();
      showSession(session);
    });

  if (archived) {
    return <ArchiveDialog row={archived} area={area} onClose={() => setArchived(undefined)} />;
  }
  return (
    <Dialog title={`Workspaces of ${visibleText(name)}`} onClose={onClose}>
      <p className="dialog-text">
        A workspace is a git worktree with its own branch, so that several agents can work at the same time.
      </p>
      <form className="workspace-new" onSubmit={create}>
        <input
          className="field"
          aria-label="Name of the new workspace"
          placeholder="Name or purpose"
          value={title}
          maxLength={200}
          onChange={(event) => setTitle(event.target.value)}
        />
        <Button type="submit" look="primary" disabled={title.trim() === ''}>
          Create workspace
        </Button>
      </form>
      {area.fault === undefined ? null : (
        <p className="fault" role="alert">
          {visibleText(area.fault)}
        </p>
      )}
      {rows.length === 0 ? <p className="dialog-note">No workspaces yet</p> : null}
      {rows.length === 0 ? null : (
        <p className="workspace-total">
          <span>{totalText(rows, measured?.sizes)}</span>
          {landed.length === 0 ? null : (
            <Button onClick={() => setArchivingLanded(true)}>{`Archive landed (${landed.length})…`}</Button>
          )}
        </p>
      )}
      <ul className="workspace-list" aria-label="Workspaces">
        {rows.map((row) => (
          <WorkspaceItem
            key={row.id}
            row={row}
            area={area}
            size={sizeOf(row.id)}
            onFreed={() => setFreed(freed + 1)}
            onStart={() => void start(row.id)}
            onArchive={() => setArchived(row)}
          />
        ))}
      </ul>
      {isArchivingLanded ? (
        <ConfirmDialog
          title={`Archive ${plural(landed.length, 'landed workspace')}?`}
          text={`${landed.map(({ name: one }) => visibleText(one)).join(', ')}. Everything is kept for 30 days and can be restored.`}
          action="Archive"
          onConfirm={() => void archiveLanded()}
          onClose={() => setArchivingLanded(false)}
        />
      ) : null}
      <StartFrom project={project} onClose={onClose} />
      <SetupImports area={area} />
      <FoundWorktrees area={area} moment={rows.length} />
      <div className="dialog-actions">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
