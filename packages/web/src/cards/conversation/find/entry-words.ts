/** The words of an entry as a reader searches and copies them: from the model, so also of what is not drawn. Pure. */
import type { Entry, Field, FileDiff, LongText, ToolResult } from '@tugdeck/protocol/conversation/entries';
import { patchText } from '../../../diff/diff-rows.ts';
import { plainText } from '../results/ansi.ts';

/** Everything that can be found in an entry. */
export function searchText(entry: Entry): string {
  switch (entry.kind) {
    case 'user':
      return [entry.text, ...(entry.attachments ?? []).map(({ name }) => name)].join('\n');
    case 'tool':
      return [
        entry.title,
        ...(entry.fields ?? []).map(fieldText),
        ...(entry.diff ?? []).map(patchText),
        entry.result ? resultText(entry.result) : (entry.output ?? ''),
        longText(entry.error),
      ].join('\n');
    case 'permission':
      return [entry.request.title, ...entry.request.fields.map(fieldText)].join('\n');
    case 'question':
      return entry.request.questions.map(({ header, text }) => `${header}\n${text}`).join('\n');
    case 'form':
      return `${entry.request.title}\n${entry.request.message}`;
    case 'command':
      return `/${entry.name}\n${entry.text}`;
    case 'notice':
      return `${entry.text}\n${longText(entry.detail)}`;
    case 'text':
    case 'thinking':
    case 'plan':
      return entry.text;
    default: {
      entry satisfies never;
      return '';
    }
  }
}

/** An entry as markdown, for the clipboard. */
export function entryMarkdown(entry: Entry): string {
  switch (entry.kind) {
    case 'user':
      return `**You**\n\n${entry.text}`;
    case 'thinking':
      return quote(entry.text);
    case 'tool':
      return [`**${entry.title || entry.name}**`, toolBody(entry.diff, entry.result, entry.error)]
        .filter((part) => part !== '')
        .join('\n\n');
    case 'permission':
      return `_${entry.request.title}: ${entry.request.status}_`;
    case 'question':
    case 'form':
      return `_${searchText(entry).replaceAll('\n', ' ')}: ${entry.request.status}_`;
    case 'notice':
      return `_${entry.text}_`;
    case 'command':
      return `\`/${entry.name.replace(/^\//, '')}\`\n\n${entry.text}`;
    case 'text':
    case 'plan':
      return entry.text;
    default: {
      entry satisfies never;
      return '';
    }
  }
}

export function conversationMarkdown(entries: Iterable<Entry>): string {
  const parts: string[] = [];
  for (const entry of entries) {
    const text = entryMarkdown(entry).trim();
    if (text !== '') parts.push(text);
  }
  return `${parts.join('\n\n')}\n`;
}

function toolBody(
  diff: readonly FileDiff[] | undefined,
  result: ToolResult | undefined,
  error: LongText | undefined,
): string {
  if (diff?.length) return diff.map((file) => fence('diff', patchText(file))).join('\n\n');
  const text = [result ? resultText(result) : '', longText(error)].filter((part) => part !== '').join('\n');
  return text === '' ? '' : fence('', text);
}

/** Longer than any fence inside. */
function fence(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${text.replace(/\n$/, '')}\n${ticks}`;
}

function quote(text: string): string {
  return text === '' ? '' : text.replace(/^/gm, '> ');
}

function resultText(result: ToolResult): string {
  switch (result.type) {
    case 'terminal':
      return plainText([longText(result.stdout), longText(result.stderr)].filter(Boolean).join('\n'));
    case 'matches':
      return result.text === undefined ? result.files.join('\n') : longText(result.text);
    case 'json':
      return JSON.stringify(result.value, null, 2) ?? '';
    case 'image':
      return '';
    case 'file':
    case 'text':
    case 'agent':
      return longText(result.text);
    default: {
      result satisfies never;
      return '';
    }
  }
}

function fieldText({ value }: Field): string {
  return longText(value);
}

/** Of a text that lies elsewhere its two ends. */
function longText(text: LongText | undefined): string {
  if (text === undefined) return '';
  return typeof text === 'string' ? text : `${text.head}\n…\n${text.tail}`;
}
