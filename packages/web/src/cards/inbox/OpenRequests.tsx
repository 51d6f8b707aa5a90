/** The open requests of a session, rendered and answered by the same code as in its conversation. */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { pendingRequests } from '@tugdeck/protocol/conversation/state';
import { useMemo } from 'react';
import { CardProvider } from '../../features/conversation/card-context.tsx';
import { createFolds } from '../../features/conversation/folds.ts';
import { createOnScreen } from '../../features/conversation/on-screen.ts';
import { createReading } from '../../features/conversation/reading.ts';
import { useCardView } from '../../features/conversation/use-card-view.ts';
import { EntryArticle } from '../../features/entries/EntryRow.tsx';
import { useClient } from '../../kit/client-context.tsx';
import { useChannel } from '../../kit/use-channel.ts';

export function OpenRequests({ session }: { session: string }) {
  const channel = useChannel(useClient(), session);
  return channel ? <Requests channel={channel} /> : null;
}

function Requests({ channel }: { channel: ConversationChannel }) {
  const { conversation } = useCardView(channel);
  const card = useMemo(
    () => ({
      session: channel.session,
      channel,
      onScreen: createOnScreen(),
      folds: createFolds(),
      reading: createReading(channel),
    }),
    [channel],
  );
  return (
    <CardProvider value={card}>
      {pendingRequests(conversation).map(({ id }) => (
        <EntryArticle key={id} id={id} />
      ))}
    </CardProvider>
  );
}
