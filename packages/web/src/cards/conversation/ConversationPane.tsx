import { memo, useCallback } from 'react';
import type { CardProps } from '../../kit/card-kinds.ts';
import { useClient } from '../../kit/client-context.tsx';
import { useSelected } from '../../kit/use-readable.ts';
import { ConversationCard } from './ConversationCard.tsx';

/** The conversation as a card kind. Memoized by session, so that coming to the front renders nothing. */
export const ConversationPane = memo(function ConversationPane({ params: { session } }: CardProps) {
  const client = useClient();
  const find = useCallback(
    (deck: ReturnType<typeof client.deck.get>) => deck?.sessions.find(({ id }) => id === session),
    [session],
  );
  const row = useSelected(client.deck, find);
  return session === undefined ? null : <ConversationCard session={session} row={row} />;
}, isSameSession);

function isSameSession(before: CardProps, next: CardProps): boolean {
  return before.params.session === next.params.session;
}
