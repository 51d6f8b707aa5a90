import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { Menu } from '../ui/Menu.tsx';
import { StatusDot } from '../ui/StatusDot.tsx';
import { useNow } from '../ui/use-now.ts';
import { useReadable } from '../ui/use-readable.ts';
import { ago, exactTime } from '../ui/words.ts';
import { useClient } from './client-context.tsx';
import { closeCard } from './close-card.ts';
import { faultText } from './deck-actions.ts';
import { titleOf } from './projects.ts';
import { hashOfSession, route } from './route.ts';
import { sessionState } from './session-state.ts';

export function SessionLink({ row }: { row: SessionRow }) {
  const client = useClient();
  const now = useNow('half-minute');
  const isActive = useReadable(route) === row.id;
  const [isRenaming, setRenaming] = useState(false);
  const title = titleOf(row);
  const state = sessionState(row.summary, row.live);
  const request = (asked: Parameters<typeof client.request>[0]) =>
    client.request(asked).catch((error) => console.warn(faultText(error)));

  const rename = (next: string) => {
    setRenaming(false);
    const wanted = next.trim().slice(0, 200);
    if (wanted !== '' && wanted !== title)
      request({ type: 'session.rename', session: row.id, title: wanted });
  };
  const archive = () => {
    closeCard(row.id);
    request({ type: 'session.archive', session: row.id, archived: true });
  };

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
    <li className="session" data-active={isActive} data-state={state}>
      <a href={hashOfSession(row.id)} aria-current={isActive ? 'page' : undefined} title={title}>
        <StatusDot state={state} />
        <span className="truncate">{title}</span>
        <time className="session-time" title={exactTime(row.activeAt)}>
          {ago(row.activeAt, now)}
        </time>
      </a>
      <Menu
        label="Session menu"
        className="icon-button session-more"
        choices={[
          { id: 'rename', label: 'Rename', onChoose: () => setRenaming(true) },
          { id: 'archive', label: 'Archive', onChoose: archive },
        ]}
      >
        <Icon icon={Ellipsis} />
      </Menu>
    </li>
  );
}
