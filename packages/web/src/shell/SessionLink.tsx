import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { Pin, Radio, SquareTerminal } from 'lucide-react';
import { type MouseEvent, memo, useState } from 'react';
import { itemOf } from '../features/attention/attention-items.ts';
import { MachineTag } from '../features/machines/MachineTag.tsx';
import { AttemptMark } from '../features/workspaces/AttemptMark.tsx';
import { useClient } from '../kit/client-context.tsx';
import { lazyComponent } from '../kit/lazy-component.tsx';
import { pinned } from '../kit/pinned.ts';
import { folderOf, placeOf } from '../kit/place.ts';
import { titleOf } from '../kit/projects.ts';
import { hashOfSession } from '../kit/route.ts';
import { chooseSession, selected } from '../kit/selection.ts';
import { isSeen, type SessionState, stateText } from '../kit/session-state.ts';
import { tags } from '../kit/tags.ts';
import { tryRequest } from '../kit/try-request.ts';
import { useAgent } from '../kit/use-agent.ts';
import { useSelected } from '../kit/use-readable.ts';
import { useSessionState } from '../kit/use-session-state.ts';
import { visibleText } from '../kit/visible-text.ts';
import { AgentMark } from '../ui/AgentMark.tsx';
import { Icon } from '../ui/Icon.tsx';
import { openMenuAt } from '../ui/Menu.tsx';
import { StateGlyph } from '../ui/StateGlyph.tsx';
import { StateTime } from '../ui/StateTime.tsx';
import { TagChips } from '../ui/TagChips.tsx';
import { shownSession } from './dock/shown-session.ts';

const SessionMenu = lazyComponent(() => import('./SessionMenu.tsx').then((part) => part.SessionMenu));
const RenameField = lazyComponent(() => import('../ui/RenameField.tsx').then((part) => part.RenameField));

export interface SessionLinkProps {
  row: SessionRow;
  /** Position among all rows, for lists that render only the visible ones. */
  at?: number;
  of?: number;
  /** With a second line: what it does or needs. */
  isTall?: boolean;
}

/** Memoized: scrolling or switching sessions re-renders only one or two rows. */
export const SessionLink = memo(function SessionLink({ row, at, of, isTall = false }: SessionLinkProps) {
  const client = useClient();
  const isActive = useSelected(shownSession, (shown) => shown === row.id);
  const [isRenaming, setRenaming] = useState(false);
  const title = titleOf(row);
  const state = useSessionState(row);
  const agent = useAgent(row.agent);
  const label = visibleText(agent?.label ?? row.agent);
  const isExternal = row.origin === 'foreign';
  const rename = (next: string | undefined) => {
    setRenaming(false);
    if (next !== undefined) void tryRequest(client, { type: 'session.rename', session: row.id, title: next });
  };
  const isChosen = useSelected(selected, (chosen) => chosen.includes(row.id));
  const isPinned = useSelected(pinned, (pins) => pins.includes(row.id));
  const own = useSelected(tags, (all) => all[row.id]);
  const isUnseen = itemOf(row)?.kind === 'finished';

  if (isRenaming) {
    return (
      <li className="session">
        <RenameField label="Title" name={title} onDone={rename} />
      </li>
    );
  }
  return (
    <li
      className="session"
      data-active={isActive}
      data-state={state}
      data-origin={row.origin}
      data-chosen={isChosen}
      data-unseen={isUnseen}
      data-tall={isTall || undefined}
      aria-posinset={at}
      aria-setsize={of}
      onContextMenu={openMenu}
    >
      <a
        href={hashOfSession(row.id)}
        aria-current={isActive ? 'page' : undefined}
        onClick={(event) => {
          const click = { isAdding: event.ctrlKey || event.metaKey, isExtending: event.shiftKey };
          if (chooseSession(row.id, click, shownIds(event.currentTarget))) event.preventDefault();
        }}
        data-session={row.id}
        data-roving={title}
        tabIndex={-1}
        title={`${title}\n${isExternal ? externalText(row, label) : label}`}
      >
        <StateGlyph state={state} isSeen={isSeen(row)} />
        <AgentMark mark={agent?.mark} />
        {isTall ? (
          <TallText row={row} state={state} title={title} />
        ) : (
          <span className="truncate">{title}</span>
        )}
        <AttemptMark row={row} />
        <TagChips tags={own} />
        {isPinned ? <PinMark /> : null}
        {isExternal ? <Icon icon={row.elsewhere ? Radio : SquareTerminal} size={13} /> : null}
        {isTall ? (
          <Figures row={row} state={state} />
        ) : (
          <StateTime row={row} state={state} className="session-time" />
        )}
      </a>
      <SessionMenu row={row} onRename={() => setRenaming(true)} />
    </li>
  );
});

/** A right click opens the row's menu at the pointer, if it is loaded. */
function openMenu(event: MouseEvent<HTMLElement>): void {
  const menu = event.currentTarget.querySelector<HTMLElement>('[popover]');
  if (!menu || menu.contains(event.target as Node)) return;
  event.preventDefault();
  openMenuAt(menu, event);
}

/** The title, and the request or activity below it. */
function TallText({ row, state, title }: { row: SessionRow; state: SessionState; title: string }) {
  const { request, activity } = row.summary ?? {};
  const project = useSelected(useClient().deck, (deck) => folderOf(deck, placeOf(row))?.name ?? '');
  const details: Partial<Record<SessionState, string | undefined>> = {
    needs: request,
    working: activity,
    queued: stateText(row, state),
  };
  const detail = details[state];
  return (
    <span className="session-two">
      <span className="truncate">{title}</span>
      <span className="session-detail">
        <span className="truncate">{visibleText(detail || project)}</span>
        <MachineTag machine={row.machine} />
      </span>
    </span>
  );
}

/** The right column: time, and changed lines below it. */
function Figures({ row, state }: { row: SessionRow; state: SessionState }) {
  const changes = row.summary?.changes;
  return (
    <span className="session-figures">
      <StateTime row={row} state={state} className="session-time" />
      {changes && changes.files > 0 && state !== 'needs' ? (
        <span className="session-changes">
          {changes.added > 0 ? `+${changes.added}` : ''} {changes.removed > 0 ? `−${changes.removed}` : ''}
        </span>
      ) : null}
    </span>
  );
}

function shownIds(link: HTMLElement): string[] {
  const links = link.closest('nav')?.querySelectorAll<HTMLElement>('a[data-session]') ?? [];
  return [...links].map((one) => one.dataset.session ?? '');
}

function externalText({ elsewhere }: SessionRow, label: string): string {
  return elsewhere ? `In use by another program (${label})` : `Started in ${label}`;
}

function PinMark() {
  return (
    <>
      <Icon icon={Pin} size={12} />
      <span className="visually-hidden">Pinned</span>
    </>
  );
}
