import type { Client } from '@tugdeck/client/client';
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { useEffect, useState } from 'react';

/** Holds the conversation of a session while the component is mounted. */
export function useChannel(client: Client, session: string): ConversationChannel | undefined {
  // The channel stays open until the effect holds it, so that the first render has its state.
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
