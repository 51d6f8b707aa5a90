/** The open requests of a session, rendered and answered by the same code as in its conversation. */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { pendingRequests } from '@tugdeck/protocol/conversation/state';
import { useMemo } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { useChannel } from '../../kit/use-channel.ts';
import { CardProvider } from '../conversation/card-context.tsx';
import { EntryArticle } from '../conversation/EntryRow.tsx';
import { createReading } from '../conversation/find/reading.ts';
import { createFolds } from '../conversation/folds.ts';
import { createOnScreen } from '../conversation/on-screen.ts';
import { useCardView } from '../conversation/use-card-view.ts';

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
