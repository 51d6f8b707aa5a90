/**
 * Messages for a changed entry (H3): compares it with what was sent and returns the difference. Pure; called by
 * projection.ts for every change, append, snapshot and page.
 */
import {
  type Entry,
  isOpen,
  isRequest,
  type NoticeEntry,
  type RequestEntry,
  type ToolEntry,
} from '../conversation/entries.ts';
import type { LongText } from '../conversation/long-text.ts';
import { resultText } from '../export/entry-text.ts';
import { stableText } from '../ids.ts';
import { ANSWERED_BY } from './inbound.ts';
import { type OutboundMessage, stdioError } from './messages.ts';

export interface EntryContext {
  readonly texts: 'appends' | 'whole';
  /** Texts and outputs that were sent, for open entries. */
  readonly sent: ReadonlyMap<string, string>;
  /** Loads the full text of a blob. */
  readonly resolve: (text: LongText) => string;
}

export interface EntryMessages {
  readonly messages: readonly OutboundMessage[];
  /** The text that the other side now has of this entry; undefined once it is closed. */
  readonly text: string | undefined;
}

export function entryMessages(before: Entry | undefined, entry: Entry, context: EntryContext): EntryMessages {
  if (before === entry) return { messages: [], text: context.sent.get(entry.id) };
  switch (entry.kind) {
    case 'text':
    case 'thinking':
    case 'command':
      return proseMessages(before, entry, context);
    case 'tool':
      return toolMessages(before, entry, context);
    case 'permission':
    case 'question':
    case 'plan':
    case 'form':
      return { messages: requestMessages(before, entry, context), text: undefined };
    case 'notice':
      return { messages: noticeMessages(before, entry, context), text: undefined };
    case 'user': {
      const { delivery } = entry;
      const isLost = delivery === 'failed' || delivery === 'doubted';
      const isNews = !(before?.kind === 'user' && before.delivery === delivery);
      const message = stdioError('PROMPT_NOT_DELIVERED', { message: entry.why, re: entry.id });
      return { messages: isLost && isNews ? [message] : [], text: undefined };
    }
  }
}

type Prose = Extract<Entry, { kind: 'text' | 'thinking' | 'command' }>;

function proseMessages(before: Entry | undefined, entry: Prose, context: EntryContext): EntryMessages {
  const whole = wholeText(entry, context);
  const sent =
    context.sent.get(entry.id) ?? (before && !isOpen(before) ? wholeText(before, context) : undefined);
  const left = isOpen(entry) ? whole : undefined;
  if (sent === whole && before?.status === entry.status) return { messages: [], text: left };
  const message = {
    ...placeOf(entry),
    rev: entry.rev,
    ...unsentPart(sent, whole, context.texts),
    is_partial: isOpen(entry),
    status: entry.status,
  };
  if (entry.kind === 'thinking') return { messages: [{ type: 'thinking_text', ...message }], text: left };
  const source = entry.kind === 'command' ? { source: 'slash_command' as const } : {};
  return { messages: [{ type: 'assistant_text', ...message, ...source }], text: left };
}

/** The new part with its offset; the whole text from 0 if earlier text changed. */
function unsentPart(
  sent: string | undefined,
  whole: string,
  texts: EntryContext['texts'],
): { at: number; text: string } {
  if (texts === 'whole' || sent === undefined || !whole.startsWith(sent)) return { at: 0, text: whole };
  return { at: sent.length, text: whole.slice(sent.length) };
}

function toolMessages(before: Entry | undefined, entry: ToolEntry, context: EntryContext): EntryMessages {
  const was = before?.kind === 'tool' ? before : undefined;
  const messages: OutboundMessage[] = [];
  const opened = !was || stableText(useOf(was)) !== stableText(useOf(entry));
  const isEnd = !isOpen(entry);
  // The result reports the final state.
  const onlyEnded = isEnd && was !== undefined && stableText(was.input) === stableText(entry.input);
  if (opened && !onlyEnded) messages.push(toolUse(entry));
  const sent = context.sent.get(entry.id);
  if (!isEnd) {
    const output = entry.output ?? '';
    if (output === (sent ?? '')) return { messages, text: sent };
    messages.push(toolResult(entry, unsentPart(sent, output, context.texts)));
    return { messages, text: output };
  }
  if (was && !isOpen(was) && stableText(endOf(was)) === stableText(endOf(entry))) {
    return { messages, text: undefined };
  }
  messages.push(toolResult(entry, unsentPart(sent, outputOf(entry, context), context.texts)));
  const { result, diff } = entry;
  if (result !== undefined || diff !== undefined) {
    messages.push({
      type: 'tool_use_structured',
      tool_use_id: entry.id,
      tool_name: entry.name,
      structured_result: { ...(result ? { result } : {}), ...(diff ? { diff } : {}) },
    });
  }
  return { messages, text: undefined };
}

const useOf = ({ input, title, toolKind, state }: ToolEntry) => ({ input, title, toolKind, state });
const endOf = ({ state, status, result, diff, error, output }: ToolEntry) => [
  state,
  status,
  result,
  diff,
  error,
  output,
];

function toolUse(entry: ToolEntry): OutboundMessage {
  return {
    type: 'tool_use',
    ...placeOf(entry),
    rev: entry.rev,
    tool_use_id: entry.id,
    tool_name: entry.name,
    tool_kind: entry.toolKind,
    title: entry.title,
    state: entry.state,
    input: entry.input ?? {},
    is_partial: entry.input === undefined && isOpen(entry),
  };
}

function toolResult(entry: ToolEntry, { at, text }: { at: number; text: string }): OutboundMessage {
  const isBad = ['failed', 'denied', 'interrupted', 'stale'].includes(entry.state);
  return {
    type: 'tool_result',
    tool_use_id: entry.id,
    at,
    output: text,
    is_partial: isOpen(entry),
    is_error: isBad || entry.status === 'failed',
    state: entry.state,
  };
}

/** The tool's result as one text. */
function outputOf(entry: ToolEntry, { resolve }: EntryContext): string {
  if (entry.result) return resultText(entry.result, resolve);
  if (entry.error !== undefined) return resolve(entry.error);
  return entry.output || (entry.denied?.why ?? '');
}

function requestMessages(
  before: Entry | undefined,
  entry: RequestEntry,
  context: EntryContext,
): OutboundMessage[] {
  const was = before && isRequest(before) ? before.request : undefined;
  const { status, shown, answeredBy } = entry.request;
  if (status === 'pending') return was?.shown === shown ? [] : [request(entry, context)];
  if (was?.status !== 'pending' || answeredBy === ANSWERED_BY) return [];
  return [{ type: 'request_cancelled', request_id: entry.id, reason: status }];
}

function request(entry: RequestEntry, context: EntryContext): OutboundMessage {
  const base = { request_id: entry.id, seq: entry.seq, shown: entry.request.shown };
  switch (entry.kind) {
    case 'permission': {
      const { tool, input, title, reason, blockedPath, options, canEdit } = entry.request;
      return {
        type: 'tool_approval_request',
        ...base,
        ...(entry.about === undefined ? {} : { tool_use_id: entry.about }),
        tool_name: tool,
        input: input ?? {},
        title,
        ...(reason === undefined ? {} : { decision_reason: reason }),
        ...(blockedPath === undefined ? {} : { blocked_path: blockedPath }),
        options,
        can_edit: canEdit,
      };
    }
    case 'question':
      return { type: 'question', ...base, questions: entry.request.questions };
    case 'plan':
      return {
        type: 'control_request_forward',
        ...base,
        request_kind: 'plan',
        is_question: false,
        title: 'Plan',
        message: wholeText(entry, context),
        modes: entry.request.modes,
      };
    case 'form':
      return {
        type: 'control_request_forward',
        ...base,
        request_kind: 'form',
        is_question: false,
        title: entry.request.title,
        message: entry.request.message,
        schema: entry.request.schema ?? entry.request.raw,
      };
  }
}

function noticeMessages(
  before: Entry | undefined,
  entry: NoticeEntry,
  context: EntryContext,
): OutboundMessage[] {
  const text = wholeText(entry, context);
  if (before && wholeText(before, context) === text) return [];
  if (entry.notice === 'compaction') return [{ type: 'compact_boundary', ...placeOf(entry), text }];
  const notice: OutboundMessage = {
    type: 'notice',
    ...placeOf(entry),
    notice: entry.notice,
    level: entry.level,
    text,
  };
  if (entry.level !== 'error') return [notice];
  const code = entry.notice === 'crash' ? 'AGENT_CRASHED' : 'AGENT_ERROR';
  return [notice, stdioError(code, { message: text })];
}

export function wholeText(entry: Entry, { resolve }: Pick<EntryContext, 'resolve'>): string {
  if (!('text' in entry)) return '';
  return entry.more === undefined ? entry.text : resolve(entry.more);
}

function placeOf({ id, seq, parent }: Entry) {
  return { msg_id: id, seq, ...(parent === undefined ? {} : { parent_tool_use_id: parent }) };
}
