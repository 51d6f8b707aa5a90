/** Sends a control request to the agent and resolves with its reply, which is not shown in the conversation. */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { newId } from '@tugdeck/client/new-id';
import type { CommandEntry } from '@tugdeck/protocol/conversation/entries';

export async function requestControl(
  channel: ConversationChannel,
  what: string,
  input: Readonly<Record<string, unknown>>,
): Promise<CommandEntry> {
  const id = newId();
  await channel.send({ kind: 'agent.control', id, what, input, hidden: true });
  const source = channel.entry(id);
  return new Promise((resolve) => {
    const check = (): void => {
      const entry = source.get();
      if (entry?.kind !== 'command' || entry.status === 'partial') return;
      forget();
      resolve(entry);
    };
    const forget = source.subscribe(check);
    check();
  });
}
