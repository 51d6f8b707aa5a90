import type { Client } from '@tugdeck/client/client';
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { useEffect, useState } from 'react';

/** Holds the conversation of a session as long as the component is drawn. */
export function useChannel(client: Client, session: string): ConversationChannel | undefined {
  // It lingers until the effect takes hold of it: what is known of it is in the first drawing.
  const [channel, setChannel] = useState(() => {
    const lingering = client.conversation(session);
    lingering.release();
    return lingering;
  });
  useEffect(() => {
    const held = client.conversation(session);
    setChannel(held);
    return () => held.release();
  }, [client, session]);
  return channel.session === session ? channel : undefined;
}
