/** Exports a whole conversation to a file: loads all older pages and long texts first. Loaded on demand. */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { headAndTail } from '@tugdeck/protocol/export/entry-text';
import { conversationHtml } from '@tugdeck/protocol/export/html-document';
import type { MarkdownToken } from '@tugdeck/protocol/export/html-markdown';
import { conversationMarkdown } from '@tugdeck/protocol/export/markdown';
import { blobsIn, withBlobs } from '../../../features/conversation/blob-refs.ts';
import { loadBlob } from '../../../features/conversation/blob-text.ts';
import { lex } from '../../../features/markdown/lex.ts';
import { downloadFile } from '../../../kit/download-file.ts';

export type ExportForm = 'markdown' | 'json' | 'html';

export async function exportConversation(
  channel: ConversationChannel,
  title: string,
  form: ExportForm,
): Promise<void> {
  while (channel.view.get().hasOlder) await channel.loadOlder();
  const { conversation } = channel.view.get();
  const entries = [...entriesFrom(conversation.entries, conversation.from)];
  const texts = new Map<string, string>();
  for (const hash of blobsIn(entries)) texts.set(hash, await loadBlob(channel.session, hash));
  const whole = entries.map((entry) => wholeEntry(withBlobs(entry, texts) as Entry));
  const { facts, usage, todos } = conversation;
  const name = fileName(title);
  if (form === 'markdown')
    downloadFile(`${name}.md`, 'text/markdown', `# ${title}\n\n${conversationMarkdown(whole)}`);
  else if (form === 'html') {
    const about = [facts.agentLabel, facts.model, new Date().toLocaleString()];
    const html = conversationHtml(whole, {
      title,
      about: about.filter((fact) => fact !== undefined),
      long: headAndTail,
      lex: (text) => lex(text).tokens as readonly MarkdownToken[],
    });
    downloadFile(`${name}.html`, 'text/html', html);
  } else {
    const all = { title, agent: facts.agentLabel, model: facts.model, usage, todos, entries: whole };
    downloadFile(`${name}.json`, 'application/json', `${JSON.stringify(all, undefined, 2)}\n`);
  }
}

/** `more` is the full text whose beginning is in `text`; it has been loaded by now. */
function wholeEntry(entry: Entry): Entry {
  if (!('more' in entry) || typeof entry.more !== 'string') return entry;
  const { more, ...rest } = entry;
  return { ...rest, text: more } as Entry;
}

function fileName(title: string): string {
  const plain = title
    .normalize('NFKD')
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
  return plain.slice(0, 80) || 'conversation';
}
