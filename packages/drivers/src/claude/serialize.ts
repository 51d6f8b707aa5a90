/**
 * Creates all lines for the agent's stdin. A malformed line kills the agent, so no client data is passed through
 * unchecked. Pure; read-back.ts is the inverse.
 */
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { Attachment } from '@tugdeck/protocol/conversation/entries';
import { attachmentForm } from '@tugdeck/protocol/conversation/sendable';
import { exactJson } from '../kit/exact-json.ts';
import { listOf, recordOf, textAt } from '../kit/fields.ts';
import type { Prompt } from '../kit/port.ts';
import { suggestionOf } from './permission-rules.ts';
import { type OpenRequest, questionId } from './requests.ts';

export const DENIED = 'The user denied this.';

export function promptLine({ id, text, attachments = [], steer }: Prompt): string {
  const content = [...(text === '' ? [] : [{ type: 'text', text }]), ...attachments.flatMap(attachmentBlock)];
  return JSON.stringify({
    type: 'user',
    uuid: id,
    session_id: '',
    parent_tool_use_id: null,
    // Joins the running turn at its next step; "now" would interrupt it.
    ...(steer ? { priority: 'next' } : {}),
    message: { role: 'user', content },
  });
}

export function controlLine(
  requestId: string,
  request: { readonly subtype: string } & Readonly<Record<string, unknown>>,
): string {
  return JSON.stringify({ type: 'control_request', request_id: requestId, request });
}

/** The answer to a request, in the format of its kind. */
export function answerLine(request: OpenRequest, answer: Answer): string {
  switch (answer.type) {
    case 'permission':
      return success(request.id, permission(request, answer));
    case 'question':
      return success(request.id, question(request, answer));
    case 'plan':
      return success(
        request.id,
        answer.approve
          ? { behavior: 'allow', updatedInput: approved(request, answer), ...modeUpdate(answer.mode) }
          : { behavior: 'deny', message: answer.message || 'Keep planning.' },
      );
    case 'form':
      return form(request, answer);
  }
}

/** A comment on an approval is appended to the plan, because the format has no other field for it. */
function approved(request: OpenRequest, { plan, message }: Extract<Answer, { type: 'plan' }>): unknown {
  const input = recordOf(request.raw.input);
  if (plan === undefined && !message) return input;
  const text = plan ?? textAt(input, 'plan') ?? '';
  return { ...input, plan: message ? `${text.trimEnd()}\n\n${message}\n` : text };
}

function permission(request: OpenRequest, answer: Extract<Answer, { type: 'permission' }>): unknown {
  const suggestion = suggestionOf(listOf(request.raw.permission_suggestions), answer.option);
  const updates = suggestion === undefined ? {} : { updatedPermissions: [suggestion] };
  if (answer.behavior === 'allow') {
    return { behavior: 'allow', updatedInput: answer.input ?? recordOf(request.raw.input), ...updates };
  }
  return {
    behavior: 'deny',
    message: answer.message || DENIED,
    ...updates,
    ...(answer.interrupt ? { interrupt: true } : {}),
  };
}

/** Labels are joined by comma and space, which is how the agent recognizes its own labels. */
function question(request: OpenRequest, { answers }: Extract<Answer, { type: 'question' }>): unknown {
  const input = recordOf(request.raw.input);
  const given: Record<string, string> = {};
  const annotations: Record<string, { notes: string }> = {};
  listOf(input.questions).forEach((item, index) => {
    const text = textAt(item, 'question') ?? '';
    const answer = answers[questionId(index)];
    if (!answer) return;
    const parts = [...answer.choices, ...(answer.other ? [answer.other] : [])];
    if (parts.length > 0) given[text] = parts.join(', ');
    if (answer.notes) annotations[text] = { notes: answer.notes };
  });
  return {
    behavior: 'allow',
    updatedInput: {
      ...input,
      answers: given,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
  };
}

function modeUpdate(mode: string | undefined): Record<string, unknown> {
  if (mode === undefined || mode === 'default') return {};
  return { updatedPermissions: [{ type: 'setMode', mode, destination: 'session' }] };
}

function form(request: OpenRequest, answer: Extract<Answer, { type: 'form' }>): string {
  if (request.raw.subtype === 'elicitation') {
    return success(request.id, {
      action: answer.action,
      ...(answer.action === 'accept' ? { content: answer.content ?? {} } : {}),
    });
  }
  return answer.action === 'accept'
    ? success(request.id, answer.content ?? {})
    : failure(request.id, 'The user declined.');
}

export function failure(requestId: string, error: string): string {
  return JSON.stringify({
    type: 'control_response',
    response: { subtype: 'error', request_id: requestId, error },
  });
}

function success(requestId: string, response: unknown): string {
  return exactJson({
    type: 'control_response',
    response: { subtype: 'success', request_id: requestId, response },
  });
}

function attachmentBlock(attachment: Attachment): unknown[] {
  const { name, mimeType, data } = attachment;
  // A blob reference means that the host did not load it.
  if (typeof data !== 'string') return [];
  const form = attachmentForm(attachment);
  if (form === undefined) return [];
  if (form === 'image') {
    return [{ type: 'image', source: { type: 'base64', media_type: mimeType, data } }];
  }
  if (form === 'document') {
    return [{ type: 'document', title: name, source: { type: 'base64', media_type: mimeType, data } }];
  }
  const text = Buffer.from(data, 'base64').toString('utf8');
  return [{ type: 'text', text: `<file name=${JSON.stringify(name)}>\n${text}\n</file>` }];
}
