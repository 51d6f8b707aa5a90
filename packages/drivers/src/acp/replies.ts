/** Converts our answers to the agent's format, and recorded replies back. Pure functions of a request. */
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { PermissionOption } from '@tugdeck/protocol/conversation/entries';
import { recordOf, textAt } from '../kit/fields.ts';
import type { Outcome } from '../kit/peer.ts';
import { answersOf, choicesOf, contentOf } from '../kit/questions.ts';
import { ERROR } from '../kit/rpc.ts';
import type { OpenRequest } from './requests.ts';

/** The reply for the agent. */
export function replyTo(request: OpenRequest, answer: Answer): Outcome {
  switch (answer.type) {
    case 'permission':
      return selected(
        answer.option ?? firstOption(request, answer.behavior === 'allow' ? 'allow' : 'reject'),
      );
    case 'plan':
      return selected(
        answer.approve ? (answer.mode ?? firstOption(request, 'allow')) : firstOption(request, 'reject'),
      );
    case 'question': {
      const choices = choicesOf(recordOf(request.params).requestedSchema) ?? [];
      return { result: { action: 'accept', content: contentOf(choices, answer) } };
    }
    case 'form':
      if (request.method === 'elicitation/create') {
        const content = answer.action === 'accept' ? { content: answer.content ?? {} } : {};
        return { result: { action: answer.action, ...content } };
      }
      return answer.action === 'accept'
        ? { result: answer.content ?? {} }
        : { error: { code: ERROR.methodNotFound, message: 'The user declined.' } };
  }
}

/** The reply to a request that was canceled with its turn. */
export function cancelledReply(request: OpenRequest): Outcome {
  if (request.method === 'session/request_permission')
    return { result: { outcome: { outcome: 'cancelled' } } };
  if (request.method === 'elicitation/create') return { result: { action: 'cancel' } };
  return { error: { code: ERROR.cancelled, message: 'Cancelled.' } };
}

/** A recorded reply as our answer; undefined for a cancellation. */
export function answerIn(request: OpenRequest, result: unknown, failed: boolean): Answer | undefined {
  if (failed) return request.kind === 'form' ? { type: 'form', action: 'decline' } : undefined;
  if (request.method === 'elicitation/create') {
    const { action, content } = recordOf(result);
    if (request.kind === 'form') {
      const known = action === 'accept' || action === 'decline' ? action : 'cancel';
      return { type: 'form', action: known, ...(content === undefined ? {} : { content }) };
    }
    if (action !== 'accept') return undefined;
    return answersOf(choicesOf(recordOf(request.params).requestedSchema) ?? [], content);
  }
  if (request.kind === 'form') return { type: 'form', action: 'accept', content: result };
  const option = textAt(recordOf(result).outcome, 'optionId');
  if (option === undefined) return undefined;
  const allows = request.options.find(({ id }) => id === option)?.effect.startsWith('allow') ?? false;
  if (request.kind === 'plan') return { type: 'plan', approve: allows, ...(allows ? { mode: option } : {}) };
  return { type: 'permission', behavior: allows ? 'allow' : 'deny', option };
}

/** Prefers once over always; never chooses a permanent permission by itself. */
function firstOption({ options }: OpenRequest, effect: 'allow' | 'reject'): string | undefined {
  return (options.find((option) => option.effect === `${effect}-once`) ?? preferOnce(options, effect))?.id;
}

function preferOnce(
  options: readonly PermissionOption[],
  effect: 'allow' | 'reject',
): PermissionOption | undefined {
  return effect === 'reject' ? options.find((option) => option.effect.startsWith(effect)) : undefined;
}

function selected(optionId: string | undefined): Outcome {
  return {
    result: {
      outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId },
    },
  };
}
