/**
 * "Try another way" (T36): a second session from before a message. In a git repository it works in a new workspace with
 * the files of that time; elsewhere only the conversation is forked. The session and its files stay.
 */
import type { Client } from '@tugdeck/client/client';
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { newId } from '@tugdeck/client/new-id';
import type { UserEntry } from '@tugdeck/protocol/conversation/entries';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import type { TimelinePoint } from '@tugdeck/protocol/review/timeline';
import { forkSession, showBeside } from '../../kit/deck-actions.ts';
import { titleOf } from '../../kit/projects.ts';
import { attachConversation } from './attach-history.ts';

export interface OtherWay {
  /** Its files and commit are recorded, so that a workspace can start from them. */
  readonly hasFiles: boolean;
  /** `told` (as in a restore): the agent can't fork there, so the conversation is attached. */
  readonly memory: 'fork' | 'told' | 'new';
}

/** Undefined if neither files nor conversation can be taken from there. */
export function otherWay(
  { facts }: Pick<Conversation, 'facts'>,
  entry: UserEntry,
  { isKept, commit }: Pick<TimelinePoint, 'isKept' | 'commit'>,
): OtherWay | undefined {
  const hasFiles = isKept && commit !== undefined;
  const canFork = facts.canFork === 'anywhere' && facts.agentSession !== undefined && !entry.forgotten;
  if (entry.seq === 0) return hasFiles ? { hasFiles, memory: 'new' } : undefined;
  if (canFork) return { hasFiles, memory: 'fork' };
  return hasFiles ? { hasFiles, memory: 'told' } : undefined;
}

export async function tryAnotherWay(
  client: Client,
  channel: ConversationChannel,
  entry: UserEntry,
  { turn, way: { hasFiles, memory } }: { readonly turn: string; readonly way: OtherWay },
): Promise<void> {
  const of = channel.session;
  const row = client.deck.get()?.sessions.find(({ id }) => id === of);
  if (!row) return;
  const checkpoint = { session: of, turn, message: entry.id };
  // Not named after the message, which the user is about to write differently.
  const workspace = { id: newId(), create: { title: titleOf(row).slice(0, 200), checkpoint } };
  if (memory === 'fork') return forkSession(client, of, entry, hasFiles ? workspace : undefined);
  const { project, agent } = row;
  const session = newId();
  await client.request({ type: 'session.create', session, project, agent, workspace, later: true });
  client.saveDraft(session, entry.text);
  if (memory === 'told') await attachConversation(channel, entry.seq, session);
  showBeside(session);
}
