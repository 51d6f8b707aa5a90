import type { Project } from '@tugdeck/protocol/wire/deck';
import { Ellipsis } from 'lucide-react';
import { useClient } from '../kit/client-context.tsx';
import { clearHistory } from '../kit/page-cache.ts';
import { openShellDialog } from '../kit/shell-dialog.ts';
import { tryRequest } from '../kit/try-request.ts';
import { offerUndo } from '../kit/undo.ts';
import { useReadable } from '../kit/use-readable.ts';
import { visibleText } from '../kit/visible-text.ts';
import { Icon } from '../ui/Icon.tsx';
import { Menu } from '../ui/Menu.tsx';

export interface ProjectMenuProps {
  project: Project;
  onRename: () => void;
}

export function ProjectMenu({ project: { id, name, path }, onRename }: ProjectMenuProps) {
  const client = useClient();
  const order = useReadable(client.deck)?.projects.map((project) => project.id) ?? [];
  const at = order.indexOf(id);
  const remove = async () => {
    if (!(await tryRequest(client, { type: 'project.remove', project: id }))) return;
    offerUndo(`“${visibleText(name)}” removed`, () => {
      void tryRequest(client, { type: 'project.add', path });
    });
  };
  const move = (to: number) => {
    const before = order.filter((other) => other !== id)[to];
    void tryRequest(client, {
      type: 'project.move',
      project: id,
      ...(before === undefined ? {} : { before }),
    });
  };
  return (
    <Menu
      label={`Actions for ${visibleText(name)}`}
      tabIndex={-1}
      className="icon-button"
      choices={[
        {
          id: 'workspaces',
          label: 'Workspaces…',
          detail: 'Separate checkouts for agents that work at the same time',
          onChoose: () => openShellDialog({ kind: 'workspaces', project: id }),
        },
        { id: 'rename', label: 'Rename', onChoose: onRename },
        ...(at > 0 ? [{ id: 'up', label: 'Move up', onChoose: () => move(at - 1) }] : []),
        ...(at >= 0 && at < order.length - 1
          ? [{ id: 'down', label: 'Move down', onChoose: () => move(at + 1) }]
          : []),
        {
          id: 'clear',
          label: 'Clear browser cache',
          detail: 'Only in this browser; sessions are kept',
          onChoose: () => clearHistory(id),
        },
        {
          id: 'remove',
          label: 'Remove project',
          detail: 'Files on disk are kept',
          onChoose: () => void remove(),
        },
      ]}
    >
      <Icon icon={Ellipsis} />
    </Menu>
  );
}
