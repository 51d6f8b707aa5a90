import { ChevronDown, ChevronRight, Ellipsis, Plus } from 'lucide-react';
import { Icon } from '../ui/Icon.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Menu } from '../ui/Menu.tsx';
import { useReadable } from '../ui/use-readable.ts';
import { clearHistory } from './cache-page.ts';
import { useClient } from './client-context.tsx';
import { faultText } from './deck-actions.ts';
import { foldedProjects } from './deck-memory.ts';
import type { ProjectGroup } from './projects.ts';
import { SessionRows } from './SessionRows.tsx';
import type { ShellDialog } from './Shell.tsx';

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
  const remove = () =>
    client
      .request({ type: 'project.remove', project: project.id })
      .catch((error) => console.warn(faultText(error)));
  return (
    <section className="project">
      <div className="project-head">
        <button
          type="button"
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
