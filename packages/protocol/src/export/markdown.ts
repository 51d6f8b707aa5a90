/**
 * Exports a conversation as Markdown, for files and the clipboard: the agent's text is the document, other entries
 * are inserted.
 */
import type { Entry } from '../conversation/entries.ts';
import { isShown } from '../conversation/state.ts';
import { entryText, headAndTail, type ResolveText } from './entry-text.ts';

export function markdownEntry(entry: Entry, long: ResolveText = headAndTail): string {
  const { heading, body, form, language } = entryText(entry, long);
  const text = body.trimEnd();
  switch (entry.kind) {
    case 'text':
      return text;
    case 'thinking':
      return text.replace(/^/gm, '> ');
    case 'user':
      return `### You\n\n${text}`;
    case 'plan':
      return `### ${heading}\n\n${text}`;
    case 'notice':
      return `_${oneLine(text)}_`;
    case 'tool':
    case 'command':
      return `**${oneLine(heading)}**${text === '' ? '' : `\n\n${fenced(language, text)}`}`;
    default:
      return `_${heading}: ${oneLine(form === 'plain' ? text : '')}_`;
  }
}

export function conversationMarkdown(entries: Iterable<Entry>, long: ResolveText = headAndTail): string {
  const parts: string[] = [];
  for (const entry of entries) {
    const text = isShown(entry) ? markdownEntry(entry, long).trim() : '';
    if (text !== '' && text !== '>') parts.push(text);
  }
  return `${parts.join('\n\n')}\n`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A fence longer than any in the text. */
function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
