import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import type { RestoreRecord } from '@tugdeck/protocol/conversation/restore';
import { attachFilesNote } from './note-files.ts';

/** Undoes a restore, or redoes one. If only files change, the next message names them (T18). */
export async function undoRestore(
  channel: Pick<ConversationChannel, 'session' | 'preview' | 'send'>,
  { id, parts }: Pick<RestoreRecord, 'id' | 'parts'>,
): Promise<void> {
  const isFilesOnly = parts.files && !parts.conversation;
  const preview = isFilesOnly ? await channel.preview({ restore: id }) : undefined;
  await channel.send({ kind: 'restore.undo', restore: id });
  if (preview) attachFilesNote(channel.session, preview);
}
