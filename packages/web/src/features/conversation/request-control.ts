/** Control requests to the agent whose replies are not shown in the conversation. */
import { ClientError } from '@tugdeck/client/client-error';
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { newId } from '@tugdeck/client/new-id';
import type { CommandEntry } from '@tugdeck/protocol/conversation/entries';
import type { Query } from '@tugdeck/protocol/wire/host-link';

type Input = Readonly<Record<string, unknown>>;

export interface ControlReply {
  readonly ok: boolean;
  readonly text: string;
  readonly data?: unknown;
}

/** Only reads, so nothing is journaled. */
export async function queryAgent(
  channel: ConversationChannel,
  what: Query,
  input: Input,
): Promise<ControlReply> {
  try {
    return await channel.query(what, input);
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'INVALID_MESSAGE') throw error;
    // An earlier server or host, which only knows commands.
    const { status, text, data } = await requestControl(channel, what, input);
    return { ok: status === 'complete', text, data };
  }
}

/** May change something: a command, which takes effect once. */
export async function requestControl(
  channel: ConversationChannel,
  what: string,
  input: Input,
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
