import { FolderPlus, MessageSquarePlus, Search, TextSearch } from 'lucide-react';
import { memo, type RefObject, useEffect, useRef, useState } from 'react';
import { useClient } from '../kit/client-context.tsx';
import { actionKeys } from '../kit/keys/key-names.ts';
import { keymap } from '../kit/keys/keymap.ts';
import { lazyComponent } from '../kit/lazy-component.tsx';
import { newSession } from '../kit/new-session.ts';
import { route } from '../kit/route.ts';
import type { ShellDialog } from '../kit/shell-dialog.ts';
import { useReadable } from '../kit/use-readable.ts';
import { Button } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { ProjectSection } from './ProjectSection.tsx';
import { useRoving } from './roving.ts';
import { SidebarSections } from './SidebarSections.tsx';
import { useSidebarList } from './use-sidebar-list.ts';

const GettingStarted = lazyComponent(() =>
  import('./GettingStarted.tsx').then((part) => part.GettingStarted),
);
const SelectionBar = lazyComponent(() => import('./SelectionBar.tsx').then((part) => part.SelectionBar));

export interface SidebarProps {
  onDialog: (dialog: ShellDialog) => void;
  onClose: () => void;
}

/** Memoized: switching sessions does not re-render it. */
export const Sidebar = memo(function Sidebar({ onDialog, onClose }: SidebarProps) {
  const client = useClient();
  const deck = useReadable(client.deck);
  const [filter, setFilter] = useState('');
  const { list, handlers } = useSidebarList(deck, filter);
  const rows = useRef<HTMLDivElement>(null);
  const onListKey = useRoving(rows);
  useEffect(() => revealActive(rows), []);
  const keys = useReadable(keymap);
  const searchKeys = actionKeys('search.open', keys);
  return (
    <nav
      className="sidebar"
      aria-label="Projects"
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <div className="sidebar-top">
        <Button onClick={() => void newSession(client)}>
          <Icon icon={MessageSquarePlus} />
          New session
          <span className="key" aria-hidden="true">
            {actionKeys('session.new', keys)}
          </span>
        </Button>
      </div>
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
          title={`Search all conversations${searchKeys ? ` (${searchKeys})` : ''}`}
          onClick={() => onDialog({ kind: 'search' })}
        />
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: moves the focus between the links inside */}
      <div ref={rows} className="sidebar-list" onKeyDown={onListKey} {...handlers}>
        {deck ? null : <div className="skeleton-list" aria-hidden="true" />}
        <SidebarSections sections={list.sections} />
        {list.projects.map((group) => (
          <ProjectSection key={group.project.id} group={group} isFiltered={filter !== ''} />
        ))}
        {deck && list.projects.length === 0 ? (
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
      <GettingStarted />
      <div className="sidebar-foot">
        <Button look="quiet" onClick={() => onDialog({ kind: 'project' })}>
          <Icon icon={FolderPlus} />
          Add project
        </Button>
      </div>
    </nav>
  );
});

/** Keeps the session in front visible in the list, also when it was opened from elsewhere. */
function revealActive(list: RefObject<HTMLElement | null>): () => void {
  return route.subscribe(() =>
    requestAnimationFrame(() => {
      const active = route.get();
      const link = [...(list.current?.querySelectorAll<HTMLElement>('a[data-session]') ?? [])].find(
        ({ dataset }) => dataset.session === active,
      );
      link?.scrollIntoView({ block: 'nearest' });
    }),
  );
}
