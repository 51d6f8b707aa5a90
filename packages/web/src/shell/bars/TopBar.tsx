/**
 * The bar above everything (D16): Home, breadcrumb, search, counters by state, inbox, layouts and settings. Global controls
 * are here and nowhere else.
 */
import type { Deck } from '@tugdeck/protocol/wire/deck';
import {
  Columns2,
  GitBranch,
  Grid2x2,
  LayoutGrid,
  Menu as MenuIcon,
  PanelRight,
  Search,
  Settings,
  Square,
  Undo2,
} from 'lucide-react';
import { memo, useMemo } from 'react';
import { runAction } from '../../kit/action-runners.ts';
import { useClient } from '../../kit/client-context.tsx';
import { showColumn } from '../../kit/home-column.ts';
import { keyText } from '../../kit/keys/key-names.ts';
import { keymap } from '../../kit/keys/keymap.ts';
import { layout } from '../../kit/layout/dock.ts';
import { frontSession } from '../../kit/layout/front-session.ts';
import { activeCard, type Layout } from '../../kit/layout/layout.ts';
import { isLimited } from '../../kit/limited.ts';
import { branchOf, placeOf } from '../../kit/place.ts';
import { reviewed } from '../../kit/reviewed.ts';
import { showHome } from '../../kit/route.ts';
import { isPanelOpen } from '../../kit/session-panel.ts';
import { useNow } from '../../kit/use-now.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { BrandMark } from '../../ui/BrandMark.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { StateGlyph } from '../../ui/StateGlyph.tsx';
import { InboxButton } from '../attention/InboxButton.tsx';
import { ConnectionState } from '../ConnectionState.tsx';
import { cardTitle } from '../dock/card-title.ts';
import { fleetCounts } from '../fleet-counts.ts';
import { statusBarHidden } from '../sidebar-state.ts';

const LAYOUTS = [
  ['layout.focus', 'Focus: one session', Square],
  ['layout.conversation', 'Session and panel', PanelRight],
  ['layout.review', 'Review: changes beside the session', Columns2],
  ['layout.grid', 'Grid of the most urgent sessions', Grid2x2],
  ['layout.undo', 'Undo layout change', Undo2],
] as const;

export interface TopBarProps {
  isHome: boolean;
  onProjects: () => void;
  onPalette: () => void;
}

/** Memoized: it has its own subscriptions. */
export const TopBar = memo(function TopBar({ isHome, onProjects, onPalette }: TopBarProps) {
  const press = useReadable(keymap).get('palette.open');
  const isBare = useReadable(statusBarHidden);
  return (
    <header className="top-bar">
      <IconButton icon={MenuIcon} label="Show projects" className="only-narrow" onClick={onProjects} />
      <button
        type="button"
        className="top-home"
        aria-current={isHome ? 'page' : undefined}
        title="Home (G H)"
        onClick={showHome}
      >
        <BrandMark />
        Home
      </button>
      {isHome ? <span className="top-space" /> : <Breadcrumb />}
      <button type="button" className="top-search" onClick={onPalette}>
        <Icon icon={Search} size={14} />
        <span className="truncate">Search or run…</span>
        {press ? (
          <span className="key" aria-hidden="true">
            {keyText(press)}
          </span>
        ) : null}
      </button>
      <Fleet />
      {isBare ? <ConnectionState isBrief /> : null}
      <InboxButton />
      {isHome ? null : <PanelToggle />}
      <Menu
        label="Layouts"
        heading="Layouts"
        title="Layouts"
        className="icon-button top-layouts"
        choices={LAYOUTS.map(([id, label, icon]) => ({ id, label, icon, onChoose: () => runAction(id) }))}
      >
        <Icon icon={LayoutGrid} />
      </Menu>
      <IconButton icon={Settings} label="Settings" onClick={() => runAction('open.settings')} />
    </header>
  );
});

/** Shows or hides the session panel (D21). */
function PanelToggle() {
  const isOpen = useReadable(isPanelOpen);
  const press = useReadable(keymap).get('panel.toggle');
  const isHidden = useReadable(isLimited);
  if (useReadable(frontSession) === undefined || isHidden) return null;
  const keys = press ? ` (${keyText(press)})` : '';
  return (
    <IconButton
      icon={PanelRight}
      label="Session panel"
      title={`This session’s changes, files and terminal${keys}`}
      aria-pressed={isOpen}
      onClick={() => isPanelOpen.set(!isOpen)}
    />
  );
}

/** Project, branch and title of what is in front. */
function Breadcrumb() {
  const deck = useReadable(useClient().deck);
  const now = useReadable(layout);
  const { project, branch, title } = frontOf(now, deck);
  return (
    <nav className="crumbs" aria-label="Breadcrumb">
      {project ? (
        <span className="truncate crumb-project" title={project.path}>
          {visibleText(project.name)}
        </span>
      ) : null}
      {branch === undefined ? null : (
        <span className="crumb-branch" title="Branch">
          <Icon icon={GitBranch} size={13} />
          <span className="truncate">{visibleText(branch)}</span>
        </span>
      )}
      {project && title ? (
        <span className="crumb-slash" aria-hidden="true">
          /
        </span>
      ) : null}
      {title ? <span className="truncate crumb-title">{title}</span> : null}
    </nav>
  );
}

function frontOf(now: Layout, deck: Deck | undefined) {
  const card = activeCard(now);
  if (!card || !deck) return {};
  const row = deck.sessions.find(({ id }) => id === card.params.session);
  const place = row ? placeOf(row) : card.params.project;
  const id = row?.project ?? card.params.project;
  return {
    project: deck.projects.find((project) => project.id === id),
    branch: branchOf(deck, place),
    title: cardTitle(card, deck),
  };
}

/** Counters that open Home at their column. */
function Fleet() {
  const deck = useReadable(useClient().deck);
  const done = useReadable(reviewed);
  const now = useNow('half-minute');
  const { needs, working, review } = useMemo(
    () => fleetCounts(deck?.sessions ?? [], now, done),
    [deck, now, done],
  );
  return (
    <div className="fleet">
      <Counter state="needs" count={needs} label={needs === 1 ? '1 needs you' : `${needs} need you`} />
      <Counter state="working" count={working} label={`${working} working`} />
      <Counter state="review" count={review} label={`${review} ready to review`} />
    </div>
  );
}

function Counter(props: { state: 'needs' | 'working' | 'review'; count: number; label: string }) {
  const { state, count, label } = props;
  if (count === 0) return null;
  return (
    <button
      type="button"
      className="fleet-count"
      data-state={state}
      aria-label={label}
      title={label}
      onClick={() => showColumn(state)}
    >
      <StateGlyph state={state} isSilent />
      {count}
    </button>
  );
}
