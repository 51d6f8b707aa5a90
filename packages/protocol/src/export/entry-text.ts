/**
 * An entry as text (C14, L6): a heading and a body, for the terminal, the clipboard, exports and search. Uses only
 * content prepared by the driver. Pure.
 */
import type { Entry, RequestStatus, ToolEntry, ToolState } from '../conversation/entries.ts';
import type { LongText } from '../conversation/long-text.ts';
import type { ToolResult } from '../conversation/tool-result.ts';
import { patchText } from './patch-text.ts';
import { plainTerminal } from './plain-terminal.ts';

/** Returns the full text, or as much of it as the caller has. */
export type ResolveText = (text: LongText) => string;

/** Head and tail of a text that is not loaded. */
export const headAndTail: ResolveText = (text) =>
  typeof text === 'string' ? text : `${text.head}\n…\n${text.tail}`;

export interface EntryText {
  readonly heading: string;
  readonly body: string;
  /** `markdown`: the body is Markdown. `code`: program text or output, which must not be rendered as Markdown. */
  readonly form: 'markdown' | 'code' | 'plain';
  /** The language of code. */
  readonly language: string;
}

const REQUEST_LABELS: Readonly<Record<RequestStatus, string>> = {
  pending: 'needs an answer',
  answered: 'answered',
  withdrawn: 'no longer needed',
  stale: 'expired',
};

const TOOL_LABELS: Readonly<Record<Exclude<ToolState, 'done'>, string>> = {
  preparing: 'preparing',
  waiting: 'needs an answer',
  running: 'running',
  background: 'in the background',
  failed: 'failed',
  denied: 'denied',
  interrupted: 'interrupted',
  stale: 'no result',
};

export function entryText(entry: Entry, long: ResolveText = headAndTail): EntryText {
  switch (entry.kind) {
    case 'user':
      return plain('You', [entry.text, ...attached(entry.attachments)]);
    case 'text':
      return { ...plain('Agent', [entry.text]), form: 'markdown' };
    case 'thinking':
      return { ...plain('Thinking', [entry.text]), form: 'markdown' };
    case 'plan':
      return { ...plain(`Plan (${REQUEST_LABELS[entry.request.status]})`, [entry.text]), form: 'markdown' };
    case 'command':
      return code(`/${entry.name.replace(/^\//, '')}`, entry.text);
    case 'notice':
      return plain('Note', [entry.text, entry.detail === undefined ? '' : long(entry.detail)]);
    case 'tool':
      return toolText(entry, long);
    case 'permission':
      return plain(`Permission (${REQUEST_LABELS[entry.request.status]})`, [
        entry.request.title,
        ...entry.request.fields.map(({ value }) => long(value)),
      ]);
    case 'question':
      return plain(
        `Question (${REQUEST_LABELS[entry.request.status]})`,
        entry.request.questions.flatMap(({ header, text }) => [header, text]),
      );
    case 'form':
      return plain(`Request (${REQUEST_LABELS[entry.request.status]})`, [
        entry.request.title,
        entry.request.message,
      ]);
  }
}

function toolText(entry: ToolEntry, long: ResolveText): EntryText {
  const state = entry.state === 'done' ? '' : ` (${TOOL_LABELS[entry.state]})`;
  const heading = `${entry.title || entry.name}${state}`;
  const error = entry.error === undefined ? '' : long(entry.error);
  if (entry.diff?.length) {
    const patch = entry.diff.map(patchText).join('\n');
    return { ...code(heading, joined([patch.trimEnd(), error])), language: 'diff' };
  }
  const fields = (entry.fields ?? []).map(({ label, value }) => `${label}: ${long(value)}`);
  const { result, output = '' } = entry;
  const text = result ? resultText(result, long, 2) : output;
  const isTerminal = !result || result.type === 'terminal';
  return code(heading, joined([...fields, isTerminal ? plainTerminal(text) : text, error]));
}

/** A tool's result as one text. `indent`: for JSON. */
export function resultText(result: ToolResult, long: ResolveText, indent = 0): string {
  switch (result.type) {
    case 'text':
    case 'file':
    case 'agent':
      return long(result.text);
    case 'terminal':
      return joined([long(result.stdout), long(result.stderr)]);
    case 'matches':
      return result.text === undefined ? result.files.join('\n') : long(result.text);
    case 'image':
      return `[${result.mimeType}]`;
    case 'json':
      return JSON.stringify(result.value, null, indent) ?? '';
  }
}

function attached(attachments: readonly { name: string }[] | undefined): string[] {
  return (attachments ?? []).map(({ name }) => `Attached: ${name}`);
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}

function plain(heading: string, parts: readonly string[]): EntryText {
  return { heading, body: joined(parts), form: 'plain', language: '' };
}

function code(heading: string, body: string): EntryText {
  return { heading, body, form: 'code', language: '' };
}
