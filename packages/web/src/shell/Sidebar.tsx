import { FolderPlus, MessageSquarePlus, Search, TextSearch } from 'lucide-react';
import { memo, useMemo, useState } from 'react';
import { useClient } from '../kit/client-context.tsx';
import { keyNames } from '../kit/keys/key-names.ts';
import { keymap } from '../kit/keys/keymap.ts';
import { lazyComponent } from '../kit/lazy-component.tsx';
import { groupProjects } from '../kit/projects.ts';
import type { ShellDialog } from '../kit/shell-dialog.ts';
import { useReadable } from '../kit/use-readable.ts';
import { Button } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { BackgroundSessions } from './BackgroundSessions.tsx';
import { ProjectSection } from './ProjectSection.tsx';

const SelectionBar = lazyComponent(() => import('./SelectionBar.tsx').then((part) => part.SelectionBar));

export interface SidebarProps {
  onDialog: (dialog: ShellDialog) => void;
  onClose: () => void;
}

/** Memoized: switching sessions does not re-render it. */
export const Sidebar = memo(function Sidebar({ onDialog, onClose }: SidebarProps) {
  const deck = useReadable(useClient().deck);
  const [filter, setFilter] = useState('');
  const groups = useMemo(() => (deck ? groupProjects(deck, filter) : []), [deck, filter]);
  const press = useReadable(keymap).get('search.open');
  return (
    <nav
      className="sidebar"
      aria-label="Projects"
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <div className="sidebar-head">
        <label className="filter">
          <Icon icon={Search} size={14} />
          <input
            type="search"
            aria-label="Filter sessions"
            placeholder="Filter sessions"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        </label>
        <IconButton
          icon={TextSearch}
          label="Search"
          title={`Search all conversations${press ? ` (${keyNames(press).join('+')})` : ''}`}
          onClick={() => onDialog({ kind: 'search' })}
        />
      </div>
      <div className="sidebar-list">
        {deck ? null : <div className="skeleton-list" aria-hidden="true" />}
        {filter === '' && deck ? <BackgroundSessions deck={deck} /> : null}
        {groups.map((group) => (
          <ProjectSection
            key={group.project.id}
            group={group}
            isFiltered={filter !== ''}
            onDialog={onDialog}
          />
        ))}
        {deck && groups.length === 0 ? (
          <p className="sidebar-note">{filter ? `No sessions match “${filter}”` : 'No projects yet'}</p>
        ) : null}
        {filter ? (
          <button
            type="button"
            className="sidebar-more"
            onClick={() => onDialog({ kind: 'search', query: filter })}
          >
            {`Search conversations for “${filter}”`}
          </button>
        ) : null}
      </div>
      <SelectionBar rows={deck?.sessions ?? []} />
      <div className="sidebar-foot">
        <Button look="quiet" onClick={() => onDialog({ kind: 'project' })}>
          <Icon icon={FolderPlus} />
          Add project
        </Button>
        <Button look="quiet" onClick={() => onDialog({ kind: 'session' })}>
          <Icon icon={MessageSquarePlus} />
          New session
        </Button>
      </div>
    </nav>
  );
});
