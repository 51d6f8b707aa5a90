/**
 * Inbound stdio messages (H3, H4): parses a line of another program into a command, or an error. Pure: the caller
 * provides ids. An answer to a request that is not open never reaches the agent.
 */

import type { Answer, Command } from '../conversation/commands.ts';
import {
  type Attachment,
  isRequest,
  type QuestionEntry,
  type RequestEntry,
} from '../conversation/entries.ts';
import { type Conversation, entryById } from '../conversation/state.ts';
import { parseJson } from '../parse-json.ts';
import {
  type InboundMessage,
  type InboundMessageOf,
  inboundMessageSchema,
  type OutboundMessage,
  type StdioErrorCode,
  stdioError,
} from './messages.ts';

/** Marks our own answers, to distinguish them from others. */
export const ANSWERED_BY = 'talk';

export type ParsedLine =
  | { readonly request: InboundMessage; readonly error?: undefined }
  | { readonly error: OutboundMessage; readonly request?: undefined };

export function parseInboundLine(line: string): ParsedLine {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch {
    return { error: stdioError('INVALID_MESSAGE', { message: 'The line is not JSON; it was ignored.' }) };
  }
  const parsed = inboundMessageSchema.safeParse(value);
  if (parsed.success) return { request: parsed.data };
  const issue = parsed.error.issues[0];
  const type = (value as { type?: unknown } | null)?.type;
  const where = [typeof type === 'string' ? type.slice(0, 50) : 'message', ...(issue?.path ?? [])].join('.');
  return {
    error: stdioError('INVALID_MESSAGE', { message: `${where}: ${issue?.message ?? 'not understood'}` }),
  };
}

export type InboundAction =
  | { readonly type: 'command'; readonly command: Command }
  | { readonly type: 'new' | 'continue' }
  | { readonly type: 'fork'; readonly at?: string | undefined }
  | { readonly type: 'refused'; readonly message: OutboundMessage };

export function toCommand(
  state: Conversation,
  request: Exclude<InboundMessage, { type: 'protocol_init' }>,
  newId: () => string,
): InboundAction {
  const id = request.id ?? newId();
  switch (request.type) {
    case 'user_message': {
      const { text, steer } = request;
      const attachments = request.attachments?.map(toAttachment);
      return command({
        kind: 'prompt.send',
        id,
        text,
        ...(attachments ? { attachments } : {}),
        ...(steer === undefined ? {} : { steer }),
      });
    }
    case 'tool_approval':
      return answer(state, request, id, (entry) => approval(entry, request));
    case 'question_answer':
      return answer(state, request, id, (entry) => answers(entry, request.answers));
    case 'interrupt':
      return command({ kind: 'turn.cancel', id });
    case 'permission_mode':
      return command({
        kind: 'session.configure',
        id,
        option: 'mode',
        value: request.mode,
        ...(request.confirmed === undefined ? {} : { confirmed: request.confirmed }),
      });
    case 'model_change':
      return command({ kind: 'session.configure', id, option: 'model', value: request.model });
    case 'session_command':
      switch (request.command) {
        case 'restart':
          return command({ kind: 'agent.restart', id });
        case 'stop':
          return command({ kind: 'agent.stop', id });
        case 'new':
        case 'continue':
          return { type: request.command };
        case 'fork':
          return state.facts.agentSession
            ? { type: 'fork', at: request.at }
            : refused('NOT_SUPPORTED', request.id, 'This session has nothing to fork yet.');
      }
  }
}

function answer(
  state: Conversation,
  request: InboundMessageOf<'tool_approval' | 'question_answer'>,
  id: string,
  make: (entry: RequestEntry) => Answer | undefined,
): InboundAction {
  const entry = entryById(state, request.request_id);
  if (!entry || !isRequest(entry) || entry.request.status !== 'pending') {
    return refused('REQUEST_NOT_OPEN', request.id);
  }
  const made = make(entry);
  if (!made) return refused('ANSWER_UNSUITABLE', request.id);
  return command({
    kind: 'request.answer',
    id,
    entry: entry.id,
    shown: request.shown ?? entry.request.shown,
    answer: made,
    by: ANSWERED_BY,
  });
}

function approval(entry: RequestEntry, request: InboundMessageOf<'tool_approval'>): Answer | undefined {
  const { decision, option, message, updatedInput: input, interrupt } = request;
  const withMessage = message === undefined ? {} : { message };
  switch (entry.kind) {
    case 'permission':
      return {
        type: 'permission',
        behavior: decision,
        ...withMessage,
        ...(option === undefined ? {} : { option }),
        ...(input === undefined ? {} : { input }),
        ...(interrupt === undefined ? {} : { interrupt }),
      };
    case 'plan':
      return {
        type: 'plan',
        approve: decision === 'allow',
        ...withMessage,
        ...(option === undefined ? {} : { mode: option }),
      };
    case 'form':
      return {
        type: 'form',
        action: decision === 'allow' ? 'accept' : 'decline',
        ...(input === undefined ? {} : { content: input }),
      };
    case 'question':
      return undefined;
  }
}

type Given = InboundMessageOf<'question_answer'>['answers'];

function answers(entry: RequestEntry, given: Given): Answer | undefined {
  if (entry.kind === 'form') return { type: 'form', action: 'accept', content: given };
  if (entry.kind !== 'question') return undefined;
  const own: [string, { choices: string[]; other?: string }][] = [];
  for (const question of entry.request.questions) {
    const value = given[question.id] ?? given[question.text];
    if (value !== undefined) own.push([question.id, chosen(question, value)]);
  }
  return own.length === 0 ? undefined : { type: 'question', answers: Object.fromEntries(own) };
}

type Question = QuestionEntry['request']['questions'][number];

/** Labels are choices, for multiple choice also joined by commas; anything else is free text. */
function chosen(
  question: Question,
  value: string | readonly string[],
): { choices: string[]; other?: string } {
  const labels = new Set(question.options.map(({ label }) => label));
  if (typeof value === 'string' && !labels.has(value)) {
    const several = value.split(',').map((label) => label.trim());
    const fits = question.multiple && several.every((label) => labels.has(label));
    return fits ? { choices: several } : { choices: [], other: value };
  }
  const all = typeof value === 'string' ? [value] : value;
  const other = all.filter((label) => !labels.has(label)).join(', ');
  const choices = all.filter((label) => labels.has(label));
  return other === '' ? { choices } : { choices, other };
}

function toAttachment(given: { filename: string; content: string; media_type: string }): Attachment {
  return {
    name: given.filename,
    mimeType: given.media_type,
    size: given.content.length,
    data: given.content,
  };
}

function command(made: Command): InboundAction {
  return { type: 'command', command: made };
}

function refused(code: StdioErrorCode, re: string | undefined, message?: string): InboundAction {
  return { type: 'refused', message: stdioError(code, { re, message }) };
}
