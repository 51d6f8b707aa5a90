/**
 * Attaches the conversation before an entry to the next message, for an agent that starts without it (H9). Sends
 * nothing; the user sees the attachment. Loaded on demand.
 */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { isAside } from '@tugdeck/protocol/conversation/restore-state';
import { conversationMarkdown } from '@tugdeck/protocol/export/markdown';
import { trayOf } from '../attachments/tray.ts';
import { fillBox } from '../prompt/fill-box.ts';

const NAME = 'conversation-so-far.md';
const REQUEST =
  'You’ve lost the context of our conversation. The transcript is attached: read it, summarize in one sentence where we were, then continue.';
/** Only the newest part is attached, because context windows are limited. */
const MAX_LENGTH = 400_000;

export async function attachHistory(
  channel: ConversationChannel,
  before: number,
  box: HTMLTextAreaElement | null,
): Promise<void> {
  await attachConversation(channel, before, channel.session);
  fillBox(box, box?.value || REQUEST);
}

/**
 * Attaches the conversation before an entry to the next message of a session, which can be another one. Returns false
 * if older entries took longer than `olderMs` to load: then the beginning is omitted.
 */
export async function attachConversation(
  channel: ConversationChannel,
  before: number,
  to: string,
  olderMs?: number,
): Promise<boolean> {
  const isWhole = await loadAll(channel, olderMs);
  const { conversation } = channel.view.get();
  const all = [...entriesFrom(conversation.entries, conversation.from)];
  const text = conversationMarkdown(all.filter(({ seq }) => seq < before && !isAside(conversation, seq)));
  const cut =
    isWhole && text.length <= MAX_LENGTH ? text : `(The beginning is omitted.)\n\n${text.slice(-MAX_LENGTH)}`;
  const tray = trayOf(to);
  for (const { id, name } of tray.state.get().files) if (name === NAME) tray.remove(id);
  tray.add([new File([cut], NAME, { type: 'text/markdown' })]);
  return isWhole;
}

async function loadAll(channel: ConversationChannel, olderMs: number | undefined): Promise<boolean> {
  while (channel.view.get().hasOlder) {
    const loading = channel.loadOlder().then(() => true);
    const isLoaded = olderMs === undefined ? loading : Promise.race([loading, falseAfter(olderMs)]);
    if (!(await isLoaded)) return false;
  }
  return true;
}

function falseAfter(ms: number): Promise<boolean> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ms));
}
