/**
 * Parses lines sent to the agent back into prompts, answers and settings, for recordings (M14). Inverse of
 * serialize.ts; lenient, because other programs make recordings too.
 */
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import { stableText } from '@tugdeck/protocol/ids';
import { listOf, recordOf, textAt } from '../kit/fields.ts';
import { optionId } from './permission-rules.ts';
import { type OpenRequest, questionId } from './requests.ts';
import { plainText } from './wire.ts';

export type ReadBack =
  | { readonly type: 'prompt'; readonly id: string | undefined; readonly text: string }
  | { readonly type: 'control'; readonly id: string; readonly request: Readonly<Record<string, unknown>> }
  | { readonly type: 'response'; readonly id: string; readonly response: unknown; readonly failed: boolean };

export function readBack(value: unknown): ReadBack | undefined {
  const line = recordOf(value);
  switch (line.type) {
    case 'user': {
      const { role, content } = recordOf(line.message);
      if (role !== 'user' || content === undefined) return undefined;
      return { type: 'prompt', id: textAt(line, 'uuid'), text: plainText(content) };
    }
    case 'control_request': {
      const id = textAt(line, 'request_id');
      return id === undefined ? undefined : { type: 'control', id, request: recordOf(line.request) };
    }
    case 'control_response': {
      const response = recordOf(line.response);
      const id = textAt(response, 'request_id');
      if (id === undefined) return undefined;
      return { type: 'response', id, response: response.response, failed: response.subtype === 'error' };
    }
    default:
      return undefined;
  }
}

export function answerOf(request: OpenRequest, response: unknown, failed: boolean): Answer {
  const given = recordOf(response);
  const allowed = !failed && given.behavior === 'allow';
  const message = textAt(given, 'message');
  switch (request.kind) {
    case 'permission': {
      const option = optionOf(request, given);
      const input =
        allowed && given.updatedInput && stableText(given.updatedInput) !== stableText(request.raw.input)
          ? { input: given.updatedInput }
          : {};
      return {
        type: 'permission',
        behavior: allowed ? 'allow' : 'deny',
        ...(option === undefined ? {} : { option }),
        ...(message === undefined ? {} : { message }),
        ...input,
        ...(given.interrupt === true ? { interrupt: true } : {}),
      };
    }
    case 'question':
      return { type: 'question', answers: allowed ? answersOf(request, recordOf(given.updatedInput)) : {} };
    case 'plan': {
      const mode = listOf(given.updatedPermissions)
        .map((update) => textAt(update, 'mode'))
        .find(Boolean);
      const plan = textAt(given.updatedInput, 'plan');
      const isEdited = allowed && plan !== undefined && plan !== textAt(request.raw.input, 'plan');
      return {
        type: 'plan',
        approve: allowed,
        ...(isEdited ? { plan } : {}),
        ...(mode === undefined ? {} : { mode }),
        ...(message === undefined ? {} : { message }),
      };
    }
    case 'form': {
      if (failed) return { type: 'form', action: 'decline' };
      const action = textAt(given, 'action');
      if (action === 'decline' || action === 'cancel') return { type: 'form', action };
      return { type: 'form', action: 'accept', content: action === 'accept' ? given.content : response };
    }
  }
}

function optionOf(request: OpenRequest, given: Readonly<Record<string, unknown>>): string | undefined {
  const [update] = listOf(given.updatedPermissions);
  if (update === undefined) return undefined;
  const index = listOf(request.raw.permission_suggestions).findIndex(
    (suggestion) => stableText(suggestion) === stableText(update),
  );
  return index < 0 ? undefined : optionId(index);
}

function answersOf(
  request: OpenRequest,
  input: Readonly<Record<string, unknown>>,
): Extract<Answer, { type: 'question' }>['answers'] {
  const given = recordOf(input.answers);
  const annotations = recordOf(input.annotations);
  const answers: Extract<Answer, { type: 'question' }>['answers'] = {};
  listOf(recordOf(request.raw.input).questions).forEach((question, index) => {
    const text = textAt(question, 'question') ?? '';
    const value = given[text];
    const notes = textAt(annotations[text], 'notes');
    if (value === undefined && notes === undefined) return;
    const labels = listOf(recordOf(question).options).map((option) => textAt(option, 'label') ?? '');
    const answerText = typeof value === 'string' ? value : listOf(value).join(',');
    const parts = answerText.split(', ');
    const known = parts.every((part) => labels.includes(part));
    answers[questionId(index)] = {
      choices: known ? parts : [],
      ...(known || answerText === '' ? {} : { other: answerText }),
      ...(notes === undefined ? {} : { notes }),
    };
  });
  return answers;
}
