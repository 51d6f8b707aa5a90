import { Menu as MenuIcon, Plus, Search, SunMoon, X } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Menu } from '../ui/Menu.tsx';
import { StatusDot } from '../ui/StatusDot.tsx';
import { useReadable } from '../ui/use-readable.ts';
import { ConnectionState } from './ConnectionState.tsx';
import { useClient } from './client-context.tsx';
import { closeCard } from './close-card.ts';
import { keyNames } from './keys.ts';
import { titleOf } from './projects.ts';
import { route, showSession } from './route.ts';
import type { ShellDialog } from './Shell.tsx';
import { sessionState } from './session-state.ts';
import { THEME_LABELS, THEMES, theme } from './theme.ts';

export interface TopBarProps {
  tabs: readonly string[];
  onSheet: () => void;
  onDialog: (dialog: ShellDialog) => void;
}

export function TopBar({ tabs, onSheet, onDialog }: TopBarProps) {
  const active = useReadable(route);
  const chosen = useReadable(theme);
  const onKeyDown = (event: KeyboardEvent, session: string) => {
    const at = tabs.indexOf(session);
    if (event.key === 'Delete') closeCard(session);
    else if (event.key === 'ArrowRight') focusTab(event, tabs[at + 1]);
    else if (event.key === 'ArrowLeft') focusTab(event, tabs[at - 1]);
  };
  return (
    <header className="top-bar">
      <IconButton icon={MenuIcon} label="Show projects" className="only-narrow" onClick={onSheet} />
      <div className="tabs" role="tablist" aria-label="Open cards">
        {tabs.map((session) => (
          <Tab
            key={session}
            session={session}
            isActive={session === active}
            onClose={() => closeCard(session)}
            onKeyDown={(event) => onKeyDown(event, session)}
          />
        ))}
      </div>
      <IconButton icon={Plus} label="Open another" onClick={() => onDialog({ kind: 'session' })} />
      <span className="top-bar-space" />
      <ConnectionState />
      <IconButton
        icon={Search}
        label="Find or do"
        title={`Command palette (${keyNames('Mod+K').join('+')})`}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => onDialog({ kind: 'palette' })}
      />
      <Menu
        label="Theme"
        title="Theme"
        className="icon-button"
        choices={THEMES.map((name) => ({
          id: name,
          label: THEME_LABELS[name],
          checked: name === chosen,
          onChoose: () => theme.set(name),
        }))}
      >
        <Icon icon={SunMoon} />
      </Menu>
    </header>
  );
}

function focusTab(event: KeyboardEvent, session: string | undefined) {
  if (session === undefined) return;
  const list = event.currentTarget.parentElement;
  showSession(session);
  list?.querySelector<HTMLElement>(`[data-session="${session}"]`)?.focus();
}

interface TabProps {
  session: string;
  isActive: boolean;
  onClose: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

function Tab({ session, isActive, onClose, onKeyDown }: TabProps) {
  const deck = useReadable(useClient().deck);
  const row = deck?.sessions.find(({ id }) => id === session);
  const title = row ? titleOf(row) : 'Session';
  return (
    <button
      type="button"
      role="tab"
      className="tab"
      data-session={session}
      aria-selected={isActive}
      aria-keyshortcuts="Delete"
      tabIndex={isActive ? 0 : -1}
      title={title}
      onClick={() => showSession(session)}
      onAuxClick={(event) => event.button === 1 && onClose()}
      onKeyDown={onKeyDown}
    >
      <StatusDot state={sessionState(row?.summary, row?.live ?? false)} />
      <span className="truncate">{title}</span>
      {/* A button inside a tab would be no valid tab: this one is for the mouse, Delete is for keys. */}
      <span
        className="tab-close"
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation();
          onClose();
        }}
      >
        <Icon icon={X} size={14} />
      </span>
    </button>
  );
}
