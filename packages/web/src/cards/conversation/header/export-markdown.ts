/** A conversation as Markdown: what was said as it is, what was done as a heading with its facts in fences. Pure. */
import type { Entry, LongText, ToolEntry } from '@tugdeck/protocol/conversation/entries';
import { resultText } from '@tugdeck/protocol/wire/bridge-entries';

export function markdownOf(title: string, entries: readonly Entry[]): string {
  const parts = entries.map(entryMarkdown).filter((part) => part !== '');
  return `${[`# ${title}`, ...parts].join('\n\n')}\n`;
}

function entryMarkdown(entry: Entry): string {
  switch (entry.kind) {
    case 'user': {
      const files = (entry.attachments ?? []).map(({ name }) => `*Attached: ${name}*`);
      return ['## You', wholeText(entry), ...files].filter((part) => part !== '').join('\n\n');
    }
    case 'text':
      return `## Agent\n\n${wholeText(entry)}`;
    case 'thinking':
      return quoted(`**Thinking**\n\n${wholeText(entry)}`);
    case 'command':
      return entry.text === '' ? '' : `**${entry.name}**\n\n${fenced(wholeText(entry))}`;
    case 'notice':
      return `*${entry.text}*`;
    case 'plan':
      return `### Plan (${entry.request.status})\n\n${wholeText(entry)}`;
    case 'tool':
      return toolMarkdown(entry);
    case 'permission':
      return `*Permission, ${entry.request.status}: ${entry.request.title}*`;
    case 'question':
      return entry.request.questions
        .map(({ text }) => `*Question, ${entry.request.status}: ${text}*`)
        .join('\n\n');
    case 'form':
      return `*Request, ${entry.request.status}: ${entry.request.title}*`;
  }
}

function toolMarkdown(entry: ToolEntry): string {
  const fields = (entry.fields ?? []).map(({ label, value }) => `${label}: ${asText(value)}`);
  const diff = (entry.diff ?? []).flatMap(({ path, hunks }) => [
    `--- ${path}`,
    ...hunks.flatMap(({ lines }) => lines),
  ]);
  const output = entry.result ? resultText(entry.result, asText) : (entry.output ?? '');
  const error = entry.error === undefined ? '' : asText(entry.error);
  const body = [...fields, ...(diff.length > 0 ? [diff.join('\n')] : [output]), error].filter(
    (part) => part !== '',
  );
  const heading = `### ${entry.title || entry.name} (${entry.state})`;
  return body.length === 0 ? heading : `${heading}\n\n${fenced(body.join('\n'))}`;
}

/** `more` is the whole of a text whose beginning is in `text`. */
function wholeText(entry: { readonly text: string; readonly more?: unknown }): string {
  return (typeof entry.more === 'string' ? entry.more : entry.text).trimEnd();
}

function asText(value: LongText): string {
  return typeof value === 'string' ? value : `${value.head}\n…\n${value.tail}`;
}

function quoted(text: string): string {
  return text.replace(/^/gm, '> ').replace(/^> $/gm, '>');
}

/** A fence longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}
