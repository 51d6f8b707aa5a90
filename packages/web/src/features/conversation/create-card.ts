import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { cell } from '../../kit/cell.ts';
import type { Card, Restoring } from './card-context.tsx';
import { createFolds } from './folds.ts';
import { createOnScreen } from './on-screen.ts';
import { createReading } from './reading.ts';

/** The context of the views of a conversation. */
export function createCard(channel: ConversationChannel): Card {
  return {
    session: channel.session,
    channel,
    onScreen: createOnScreen(),
    folds: createFolds(),
    reading: createReading(channel),
    restoring: cell<Restoring | undefined>(undefined),
  };
}
