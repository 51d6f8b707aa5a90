/**
 * Entries as text for people (L6): plain for the terminal, Markdown for export. Shows what the driver made ready,
 * never an agent's own names beyond what an entry states.
 */
import type { Entry, LongText, ToolEntry } from '@tugdeck/protocol/conversation/entries';
import { resultText } from '@tugdeck/protocol/wire/bridge-entries';

export type Long = (text: LongText) => string;

export interface Written {
  readonly heading: string;
  readonly body: string;
  /** Program text or output: Markdown must not read it as its own. */
  readonly isCode: boolean;
}

export function writeEntry(entry: Entry, long: Long): Written {
  switch (entry.kind) {
    case 'user':
      return prose('You', entry.text);
    case 'text':
      return prose('Agent', entry.text);
    case 'thinking':
      return prose('Thinking', entry.text);
    case 'command':
      return code(entry.name, entry.text);
    case 'notice':
      return prose('Note', entry.text);
    case 'plan':
      return prose(`Plan (${entry.request.status})`, entry.text);
    case 'tool':
      return code(`${entry.title || entry.name} (${entry.state})`, toolBody(entry, long));
    case 'permission':
      return prose(`Permission (${entry.request.status})`, entry.request.title);
    case 'question':
      return prose(
        `Question (${entry.request.status})`,
        entry.request.questions.map(({ text }) => text).join('\n'),
      );
    case 'form':
      return prose(`Request (${entry.request.status})`, `${entry.request.title}\n${entry.request.message}`);
  }
}

function toolBody(entry: ToolEntry, long: Long): string {
  const diff = (entry.diff ?? []).map(({ path, hunks }) =>
    [`--- ${path}`, ...hunks.flatMap(({ lines }) => lines)].join('\n'),
  );
  if (diff.length > 0) return diff.join('\n');
  const fields = (entry.fields ?? []).map(({ label, value }) => `${label}: ${long(value)}`);
  const result = entry.result ? resultText(entry.result, long) : (entry.output ?? '');
  const error = entry.error === undefined ? '' : long(entry.error);
  return [...fields, result, error].filter((part) => part !== '').join('\n');
}

export function plainEntry(entry: Entry, long: Long): string {
  const { heading, body } = writeEntry(entry, long);
  const indented = body
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? line : `  ${line}`));
  return [`${heading}:`, ...indented].join('\n');
}

export function markdownEntry(entry: Entry, long: Long): string {
  const { heading, body, isCode } = writeEntry(entry, long);
  const text = body.trimEnd();
  if (text === '') return `### ${heading}`;
  return `### ${heading}\n\n${isCode ? fenced(text) : text}`;
}

/** A fence longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function prose(heading: string, body: string): Written {
  return { heading, body, isCode: false };
}

function code(heading: string, body: string): Written {
  return { heading, body, isCode: true };
}
