import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { pendingRequests } from '@tugdeck/protocol/conversation/state';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { useMemo } from 'react';
import type { AttentionItem } from '../../features/attention/attention-items.ts';
import { CardProvider } from '../../features/conversation/card-context.tsx';
import { createCard } from '../../features/conversation/create-card.ts';
import { useCardView } from '../../features/conversation/use-card-view.ts';
import { EntryArticle } from '../../features/entries/EntryRow.tsx';
import { MachineTag } from '../../features/machines/MachineTag.tsx';
import { useClient } from '../../kit/client-context.tsx';
import { ago, exactTime } from '../../kit/format.ts';
import { titleOf } from '../../kit/projects.ts';
import { hashOfSession } from '../../kit/route.ts';
import { stateTime } from '../../kit/session-state.ts';
import { tryRequest } from '../../kit/try-request.ts';
import { useChannel } from '../../kit/use-channel.ts';
import { useNow } from '../../kit/use-now.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { useSessionState } from '../../kit/use-session-state.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { StateGlyph } from '../../ui/StateGlyph.tsx';

interface InboxItemProps {
  item: AttentionItem;
  row: SessionRow | undefined;
  isVisible: boolean;
}

export function InboxItem({ item, row, isVisible }: InboxItemProps) {
  const client = useClient();
  const project = useReadable(client.deck)?.projects.find(({ id }) => id === row?.project);
  const now = useNow(item.kind === 'asks' ? 'second' : 'half-minute');
  const state = useSessionState(row);
  if (!row) return null;
  const seen = () =>
    tryRequest(client, { type: 'session.seen', session: row.id, entries: row.summary?.entries ?? 0 });
  return (
    <li className="inbox-item" data-kind={item.kind}>
      <div className="inbox-head">
        <StateGlyph state={state} />
        <a className="truncate" href={hashOfSession(row.id)}>
          {visibleText(titleOf(row))}
        </a>
        <span className="inbox-where truncate">{visibleText(project?.name ?? '')}</span>
        <MachineTag machine={row.machine} />
        <time className="inbox-since" title={exactTime(item.since)}>
          {item.kind === 'asks' ? `Needs you · ${stateTime(row, 'needs', now)}` : whenEnded(item, now)}
        </time>
        {item.kind === 'asks' ? null : (
          <Button look="quiet" onClick={seen}>
            Mark as seen
          </Button>
        )}
      </div>
      {item.kind === 'asks' && isVisible ? <OpenRequests session={row.id} /> : null}
    </li>
  );
}

function whenEnded({ kind, since }: AttentionItem, now: number): string {
  const when = ago(since, now);
  return `${kind === 'failed' ? 'Failed' : 'Done'} ${when === 'now' ? 'just now' : `${when} ago`}`;
}

/** The open requests of a session, rendered and answered by the same code as in its conversation. */
function OpenRequests({ session }: { session: string }) {
  const channel = useChannel(useClient(), session);
  return channel ? <Requests channel={channel} /> : null;
}

function Requests({ channel }: { channel: ConversationChannel }) {
  const { conversation } = useCardView(channel);
  const card = useMemo(() => createCard(channel), [channel]);
  return (
    <CardProvider value={card}>
      {pendingRequests(conversation).map(({ id }) => (
        <EntryArticle key={id} id={id} />
      ))}
    </CardProvider>
  );
}
