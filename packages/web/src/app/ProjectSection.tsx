import { ChevronDown, ChevronRight, Ellipsis, Plus } from 'lucide-react';
import { useState } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Menu } from '../ui/Menu.tsx';
import { useReadable } from '../ui/use-readable.ts';
import { visibleText } from '../ui/visible-text.ts';
import { clearHistory } from './cache-page.ts';
import { useClient } from './client-context.tsx';
import { faultText } from './deck-actions.ts';
import { foldedProjects } from './deck-memory.ts';
import type { ProjectGroup } from './projects.ts';
import { SessionRows } from './SessionRows.tsx';
import type { ShellDialog } from './Shell.tsx';
import { offerUndo } from './undo.ts';

export interface ProjectSectionProps {
  group: ProjectGroup;
  isFiltered: boolean;
  onDialog: (dialog: ShellDialog) => void;
}

export function ProjectSection({ group, isFiltered, onDialog }: ProjectSectionProps) {
  const { project, sessions } = group;
  const client = useClient();
  const isFolded = useReadable(foldedProjects).includes(project.id);
  const toggle = () => {
    const others = foldedProjects.get().filter((id) => id !== project.id);
    foldedProjects.set(isFolded ? others : [...others, project.id]);
  };
  const deck = useReadable(client.deck);
  const [isRenaming, setRenaming] = useState(false);
  const request = (asked: Parameters<typeof client.request>[0]) =>
    client.request(asked).catch((error) => console.warn(faultText(error)));
  const remove = () => {
    void request({ type: 'project.remove', project: project.id });
    offerUndo(`“${visibleText(project.name)}” is off the list.`, () => {
      void request({ type: 'project.add', path: project.path });
    });
  };
  const rename = (name: string) => {
    setRenaming(false);
    if (name.trim() !== '' && name !== project.name)
      void request({ type: 'project.rename', project: project.id, name: name.trim().slice(0, 200) });
  };
  const order = deck?.projects.map(({ id }) => id) ?? [];
  const at = order.indexOf(project.id);
  const move = (to: number) => {
    const others = order.filter((id) => id !== project.id);
    const before = others[to];
    void request({ type: 'project.move', project: project.id, ...(before === undefined ? {} : { before }) });
  };
  return (
    <section className="project">
      <div className="project-head">
        {isRenaming ? (
          <input
            className="field"
            aria-label="Name"
            defaultValue={project.name}
            ref={(input) => input?.select()}
            onBlur={(event) => rename(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') rename(event.currentTarget.value);
              if (event.key === 'Escape') setRenaming(false);
            }}
          />
        ) : null}
        <button
          type="button"
          hidden={isRenaming}
          className="project-name"
          aria-expanded={!isFolded}
          title={project.path}
          onClick={toggle}
        >
          <Icon icon={isFolded ? ChevronRight : ChevronDown} size={14} />
          <span className="truncate">{project.name}</span>
        </button>
        <IconButton
          icon={Plus}
          label={`Start in ${project.name}`}
          onClick={() => onDialog({ kind: 'session', project: project.id })}
        />
        <Menu
          label="Project menu"
          className="icon-button"
          choices={[
            { id: 'rename', label: 'Rename', onChoose: () => setRenaming(true) },
            ...(at > 0 ? [{ id: 'up', label: 'Move up', onChoose: () => move(at - 1) }] : []),
            ...(at >= 0 && at < order.length - 1
              ? [{ id: 'down', label: 'Move down', onChoose: () => move(at + 1) }]
              : []),
            {
              id: 'clear',
              label: 'Clear history',
              detail: 'What this browser keeps of it; the sessions stay',
              onChoose: () => clearHistory(project.id),
            },
            { id: 'remove', label: 'Remove from list', detail: 'Files stay as they are', onChoose: remove },
          ]}
        >
          <Icon icon={Ellipsis} />
        </Menu>
      </div>
      {isFolded ? null : <SessionRows sessions={sessions} isFiltered={isFiltered} />}
    </section>
  );
}
