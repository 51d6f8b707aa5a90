/** Everything that needs the user in all projects, answerable right here (D7). */
import { useMemo } from 'react';
import { AttentionChecks } from '../../features/attention/AttentionChecks.tsx';
import { attentionItems } from '../../features/attention/attention-items.ts';
import type { CardProps } from '../../kit/card-kinds.ts';
import { useClient } from '../../kit/client-context.tsx';
import { useReadable } from '../../kit/use-readable.ts';
import './inbox.css';
import { InboxItem } from './InboxItem.tsx';

export default function InboxCard({ isVisible }: CardProps) {
  const deck = useReadable(useClient().deck);
  const items = useMemo(() => attentionItems(deck?.sessions ?? []), [deck]);
  return (
    <fieldset className="pane inbox-pane" aria-label="Inbox">
      <div className="inbox-bar">
        <AttentionChecks />
      </div>
      {items.length === 0 ? (
        <p className="inbox-none">You’re all caught up. Sessions that need you show up here.</p>
      ) : (
        <ul className="inbox-list">
          {items.map((item) => (
            <InboxItem
              key={item.session}
              item={item}
              row={deck?.sessions.find(({ id }) => id === item.session)}
              isVisible={isVisible}
            />
          ))}
        </ul>
      )}
    </fieldset>
  );
}
