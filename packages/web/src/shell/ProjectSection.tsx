import { ChevronDown, ChevronRight, Plus } from 'lucide-react';
import { useState } from 'react';
import { MachineTag } from '../features/machines/MachineTag.tsx';
import { useClient } from '../kit/client-context.tsx';
import { lazyComponent } from '../kit/lazy-component.tsx';
import { newSession } from '../kit/new-session.ts';
import { groupAttempts, groupWorkspaces, type ProjectGroup } from '../kit/projects.ts';
import { tryRequest } from '../kit/try-request.ts';
import { useReadable, useSelected } from '../kit/use-readable.ts';
import { visibleText } from '../kit/visible-text.ts';
import { Icon } from '../ui/Icon.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { AttemptsSection } from './AttemptsSection.tsx';
import { SessionRows } from './SessionRows.tsx';
import { foldedProjects } from './sidebar-state.ts';
import { WorkspaceSection } from './WorkspaceSection.tsx';

const ProjectMenu = lazyComponent(() => import('./ProjectMenu.tsx').then((part) => part.ProjectMenu));
const RenameField = lazyComponent(() => import('../ui/RenameField.tsx').then((part) => part.RenameField));

export interface ProjectSectionProps {
  group: ProjectGroup;
  isFiltered: boolean;
}

export function ProjectSection({ group, isFiltered }: ProjectSectionProps) {
  const { project, sessions } = group;
  const client = useClient();
  const isFolded = useReadable(foldedProjects).includes(project.id);
  const toggle = () => {
    const others = foldedProjects.get().filter((id) => id !== project.id);
    foldedProjects.set(isFolded ? others : [...others, project.id]);
  };
  const workspaces = useSelected(client.deck, (deck) => deck?.workspaces);
  const started = useSelected(client.deck, (deck) => deck?.attempts);
  const { attempts, others } = groupAttempts(sessions, started);
  const { checkout, groups } = groupWorkspaces(others, workspaces);
  const [isRenaming, setRenaming] = useState(false);
  const rename = (name: string | undefined) => {
    setRenaming(false);
    if (name !== undefined) void tryRequest(client, { type: 'project.rename', project: project.id, name });
  };
  return (
    <section className="project">
      <div className="project-head">
        {isRenaming ? <RenameField label="Name" name={project.name} onDone={rename} /> : null}
        <button
          type="button"
          hidden={isRenaming}
          className="project-name"
          data-roving={project.name}
          tabIndex={-1}
          aria-expanded={!isFolded}
          title={project.path}
          onClick={toggle}
        >
          <Icon icon={isFolded ? ChevronRight : ChevronDown} size={14} />
          <span className="truncate">{visibleText(project.name)}</span>
          <MachineTag machine={project.machine} />
        </button>
        <span className="project-count">{sessions.length}</span>
        <span className="project-acts">
          <IconButton
            icon={Plus}
            tabIndex={-1}
            label={`Start a session in ${visibleText(project.name)}`}
            onClick={() => void newSession(client, { project: project.id })}
          />
          <span className="project-more">
            <ProjectMenu project={project} onRename={() => setRenaming(true)} />
          </span>
        </span>
      </div>
      {isFolded ? null : (
        <>
          <SessionRows
            sessions={checkout}
            isFiltered={isFiltered}
            {...(sessions.length === 0
              ? { onStart: () => void newSession(client, { project: project.id }) }
              : {})}
          />
          {attempts.map(({ group: one, rows }) => (
            <AttemptsSection key={one.id} group={one} sessions={rows} isFiltered={isFiltered} />
          ))}
          {groups.map(({ workspace, sessions: rows }) => (
            <WorkspaceSection
              key={workspace.id}
              workspace={workspace}
              sessions={rows}
              isFiltered={isFiltered}
            />
          ))}
        </>
      )}
    </section>
  );
}
