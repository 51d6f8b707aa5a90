/** Asks the agent for a title and renames the session. */
import type { Client } from '@tugdeck/client/client';
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { requestControl } from '../../../features/conversation/request-control.ts';

const MAX_LENGTH = 4000;

export async function generateTitle(client: Client, channel: ConversationChannel): Promise<void> {
  const description = titleSource(channel.view.get().conversation);
  if (description === '') throw new Error('Send a message first, then generate a title');
  const { status, text, data } = await requestControl(channel, 'title', { description });
  if (status !== 'complete') throw new Error(text);
  const title = data !== null && typeof data === 'object' && 'title' in data ? data.title : undefined;
  if (typeof title !== 'string' || title.trim() === '') throw new Error('The agent didn’t suggest a title');
  await client.request({
    type: 'session.rename',
    session: channel.session,
    title: title.trim().slice(0, 200),
  });
}

/** The first loaded user messages. */
export function titleSource({ entries, from }: Conversation): string {
  let sample = '';
  for (const entry of entriesFrom(entries, from)) {
    if (entry.kind === 'user') sample += `${entry.text}\n`;
    if (sample.length >= MAX_LENGTH) break;
  }
  return sample.trim().slice(0, MAX_LENGTH);
}
