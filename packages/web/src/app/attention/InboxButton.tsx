import { Inbox } from 'lucide-react';
import { useMemo } from 'react';
import { IconButton } from '../../ui/IconButton.tsx';
import { useReadable } from '../../ui/use-readable.ts';
import { plural } from '../../ui/words.ts';
import { useClient } from '../client-context.tsx';
import { openCard } from '../dock/open-card.ts';
import { waitingItems } from './waiting-items.ts';

/** How much waits for the user, always at hand. Amber only while something truly asks. */
export function InboxButton() {
  const deck = useReadable(useClient().deck);
  const items = useMemo(() => waitingItems(deck?.sessions ?? []), [deck]);
  const isAsking = items.some(({ kind }) => kind === 'asks');
  const label = items.length === 0 ? 'Inbox' : `Inbox: ${plural(items.length, 'session')}`;
  return (
    <span className="inbox-button" data-asks={isAsking}>
      <IconButton
        icon={Inbox}
        label={label}
        aria-keyshortcuts="Control+I Meta+I"
        onClick={() => openCard('inbox', {})}
      />
      {items.length > 0 ? (
        <span className="inbox-count" aria-hidden="true">
          {items.length > 99 ? '99+' : items.length}
        </span>
      ) : null}
    </span>
  );
}
