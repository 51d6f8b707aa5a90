/** The last lines of a conversation as plain text. Pure. */
import { entryAt } from '@tugdeck/protocol/conversation/entry-store';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { visibleText } from '../../kit/visible-text.ts';

export const PEEK_LINES = 12;

export interface PeekLine {
  readonly id: string;
  readonly kind: 'user' | 'text' | 'tool' | 'request';
  readonly text: string;
}

export function peekLines(conversation: Conversation): readonly PeekLine[] {
  const lines: PeekLine[] = [];
  for (let seq = conversation.nextSeq - 1; seq >= 0 && lines.length < PEEK_LINES; seq--) {
    const entry = entryAt(conversation.entries, seq);
    if (!entry) break;
    const add = (kind: PeekLine['kind'], text: string) => {
      const own = text.split('\n').filter((line) => line.trim() !== '');
      for (const [at, line] of [...own.entries()].reverse()) {
        if (lines.length < PEEK_LINES) lines.push({ id: `${entry.id} ${at}`, kind, text: visibleText(line) });
      }
    };
    if (entry.kind === 'user' || entry.kind === 'text') add(entry.kind, entry.text);
    else if (entry.kind === 'tool')
      add('tool', `${entry.toolKind === 'shell' ? '$ ' : ''}${entry.title || entry.name}`);
    else if (entry.kind === 'permission') add('request', entry.request.title);
    else if (entry.kind === 'question') add('request', entry.request.questions[0]?.text ?? '');
    else if (entry.kind === 'plan') add('request', entry.text);
  }
  return lines.reverse();
}
