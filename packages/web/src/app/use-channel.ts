import type { Client } from '@tugdeck/client/client';
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { useEffect, useState } from 'react';

/** Holds the conversation of a session as long as the component is drawn. */
export function useChannel(client: Client, session: string): ConversationChannel | undefined {
  const [channel, setChannel] = useState<ConversationChannel>();
  useEffect(() => {
    const held = client.conversation(session);
    setChannel(held);
    return () => held.release();
  }, [client, session]);
  return channel?.session === session ? channel : undefined;
}
