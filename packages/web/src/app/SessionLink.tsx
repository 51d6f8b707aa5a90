import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { Ellipsis, Radio, SquareTerminal } from 'lucide-react';
import { useState } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { Menu } from '../ui/Menu.tsx';
import { StatusDot } from '../ui/StatusDot.tsx';
import { useNow } from '../ui/use-now.ts';
import { useReadable } from '../ui/use-readable.ts';
import { ago, exactTime } from '../ui/words.ts';
import { itemOf } from './attention/waiting-items.ts';
import { useClient } from './client-context.tsx';
import { faultText } from './deck-actions.ts';
import { titleOf } from './projects.ts';
import { hashOfSession, route } from './route.ts';
import { chooseSession, selected } from './selection.ts';
import { archiveSessions, deleteSessions } from './session-acts.ts';
import { sessionState } from './session-state.ts';

export interface SessionLinkProps {
  row: SessionRow;
  /** Which of how many it is, where the others are not drawn. */
  place?: { at: number; of: number };
}

export function SessionLink({ row, place }: SessionLinkProps) {
  const client = useClient();
  const now = useNow('half-minute');
  const isActive = useReadable(route) === row.id;
  const [isRenaming, setRenaming] = useState(false);
  const title = titleOf(row);
  const state = row.elsewhere ? 'running' : sessionState(row.summary, row.live);
  const isForeign = row.origin === 'foreign';
  const request = (asked: Parameters<typeof client.request>[0]) =>
    client.request(asked).catch((error) => console.warn(faultText(error)));

  const rename = (next: string) => {
    setRenaming(false);
    const wanted = next.trim().slice(0, 200);
    if (wanted !== '' && wanted !== title)
      request({ type: 'session.rename', session: row.id, title: wanted });
  };
  const isChosen = useReadable(selected).includes(row.id);
  const isUnseen = itemOf(row)?.kind === 'finished';

  if (isRenaming) {
    return (
      <li className="session">
        <input
          className="field"
          aria-label="Title"
          defaultValue={title}
          ref={(input) => input?.select()}
          onBlur={(event) => rename(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') rename(event.currentTarget.value);
            if (event.key === 'Escape') setRenaming(false);
          }}
        />
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
      aria-posinset={place?.at}
      aria-setsize={place?.of}
    >
      <a
        href={hashOfSession(row.id)}
        aria-current={isActive ? 'page' : undefined}
        onClick={(event) => {
          const click = { isAdding: event.ctrlKey || event.metaKey, isExtending: event.shiftKey };
          if (chooseSession(row.id, click, shownIds(event.currentTarget))) event.preventDefault();
        }}
        data-session={row.id}
        title={isForeign ? `${title}\n${foreignWords(row)}` : title}
      >
        <StatusDot state={state} />
        <span className="truncate">{title}</span>
        {isForeign ? <Icon icon={row.elsewhere ? Radio : SquareTerminal} size={13} /> : null}
        <time className="session-time" title={exactTime(row.activeAt)}>
          {ago(row.activeAt, now)}
        </time>
      </a>
      <Menu
        label="Session menu"
        className="icon-button session-more"
        choices={[
          { id: 'rename', label: 'Rename', onChoose: () => setRenaming(true) },
          { id: 'archive', label: 'Archive', onChoose: () => archiveSessions(client, [row]) },
          ...(isForeign
            ? []
            : [
                {
                  id: 'delete',
                  label: 'Delete',
                  detail: 'To the trash, for 30 days',
                  onChoose: () => deleteSessions(client, [row]),
                },
              ]),
        ]}
      >
        <Icon icon={Ellipsis} />
      </Menu>
    </li>
  );
}

function shownIds(link: HTMLElement): string[] {
  const links = link.closest('nav')?.querySelectorAll<HTMLElement>('a[data-session]') ?? [];
  return [...links].map((one) => one.dataset.session ?? '');
}

function foreignWords({ agent, elsewhere }: SessionRow): string {
  return elsewhere ? `Another program works in it (${agent})` : `Made with ${agent} itself`;
}
