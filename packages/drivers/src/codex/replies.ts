/** Converts our answers to the agent's format, and recorded replies back. Pure functions of a request. */
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import { type Fields, listOf, recordOf, textAt } from '../kit/fields.ts';
import type { Outcome } from '../kit/peer.ts';
import { answersOf, choicesOf, contentOf } from '../kit/questions.ts';
import { ERROR } from '../kit/rpc.ts';
import { amendmentOf, NETWORK, networkAmendments, RULE } from './permission-options.ts';
import type { OpenRequest } from './requests.ts';

const ELICITATION = 'mcpServer/elicitation/request';
const GRANT = 'item/permissions/requestApproval';

type PermissionAnswer = Extract<Answer, { type: 'permission' }>;

/** The reply for the agent. */
export function replyTo(request: OpenRequest, answer: Answer): Outcome {
  switch (answer.type) {
    case 'permission':
      return { result: permissionReply(request, answer) };
    case 'question':
      return { result: questionReply(request, answer) };
    case 'form': {
      const { action, content } = answer;
      if (request.method === ELICITATION)
        return { result: { action, content: action === 'accept' ? (content ?? {}) : null, _meta: null } };
      return action === 'accept' ? { result: content ?? {} } : refusal();
    }
    case 'plan':
      return refusal();
  }
}

const refusal = (): Outcome => ({ error: { code: ERROR.methodNotFound, message: 'Not available here.' } });

/** The chosen option; never chooses a permanent permission by itself. */
function chosen({ options }: OpenRequest, { behavior, option, interrupt }: PermissionAnswer): string {
  const known = options.find(({ id }) => id === option);
  if (known?.effect.startsWith(behavior === 'allow' ? 'allow' : 'reject')) return known.id;
  if (behavior === 'deny')
    return interrupt && options.some(({ id }) => id === 'cancel') ? 'cancel' : 'decline';
  return options.find(({ effect }) => effect === 'allow-once')?.id ?? 'decline';
}

function permissionReply(request: OpenRequest, answer: PermissionAnswer): unknown {
  const params = recordOf(request.params);
  const option = chosen(request, answer);
  if (request.method === GRANT) {
    const isGranted = option === 'turn' || option === 'session';
    return {
      permissions: isGranted ? granted(recordOf(params.permissions)) : {},
      scope: option === 'session' ? 'session' : 'turn',
    };
  }
  if (request.method === ELICITATION) {
    if (option === 'decline' || option === 'cancel') return { action: option, content: null, _meta: null };
    const persist = option.startsWith('persist:') ? option.slice('persist:'.length) : undefined;
    return { action: 'accept', content: {}, _meta: persist === undefined ? null : { persist } };
  }
  if (option === RULE) return { decision: { [RULE]: { execpolicy_amendment: amendmentOf(params) } } };
  if (option.startsWith(`${NETWORK}:`)) {
    const amendment = networkAmendments(params)[Number(option.slice(NETWORK.length + 1))];
    return { decision: { [NETWORK]: { network_policy_amendment: amendment } } };
  }
  return { decision: option };
}

/** Grants only what was requested and shown. */
function granted({ network, fileSystem }: Fields): Fields {
  return { ...(network == null ? {} : { network }), ...(fileSystem == null ? {} : { fileSystem }) };
}

function questionReply(request: OpenRequest, answer: Extract<Answer, { type: 'question' }>): unknown {
  if (request.method === ELICITATION) {
    const choices = choicesOf(recordOf(request.params).requestedSchema) ?? [];
    return { action: 'accept', content: contentOf(choices, answer), _meta: null };
  }
  const answers = Object.entries(answer.answers).map(([id, { choices, other, notes }]) => {
    const own = [other, notes].filter((text) => text);
    return [id, { answers: [...choices, ...own] }];
  });
  return { answers: Object.fromEntries(answers) };
}

/** A recorded reply as our answer; undefined if it was not one. */
export function answerIn(request: OpenRequest, result: unknown, failed: boolean): Answer | undefined {
  if (failed) return request.kind === 'form' ? { type: 'form', action: 'decline' } : undefined;
  if (request.kind === 'form') return formIn(request, recordOf(result));
  if (request.kind === 'question') return questionIn(request, recordOf(result));
  const option = optionIn(request, recordOf(result));
  const effect = request.options.find(({ id }) => id === option)?.effect;
  // An unknown decision fails the command and allows nothing.
  if (option === undefined || effect === undefined) return { type: 'permission', behavior: 'deny' };
  return { type: 'permission', behavior: effect.startsWith('allow') ? 'allow' : 'deny', option };
}

function formIn({ method }: OpenRequest, result: Fields): Answer {
  if (method !== ELICITATION) return { type: 'form', action: 'accept', content: result };
  const { action, content } = result;
  const known = action === 'accept' || action === 'decline' ? action : 'cancel';
  return { type: 'form', action: known, ...(content == null ? {} : { content }) };
}

function questionIn({ method, params }: OpenRequest, result: Fields): Answer | undefined {
  if (method === ELICITATION) {
    if (result.action !== 'accept') return undefined;
    return answersOf(choicesOf(recordOf(params).requestedSchema) ?? [], result.content);
  }
  const offered = new Map(
    listOf(recordOf(params).questions).map((question) => [
      textAt(question, 'id'),
      listOf(recordOf(question).options).map((option) => textAt(option, 'label')),
    ]),
  );
  const answers = Object.entries(recordOf(result.answers)).map(([id, given]) => {
    const labels = listOf(recordOf(given).answers).filter((label) => typeof label === 'string');
    const own = labels.filter((label) => !offered.get(id)?.includes(label));
    const choices = labels.filter((label) => offered.get(id)?.includes(label));
    return [id, { choices, ...(own.length === 0 ? {} : { other: own.join('\n') }) }];
  });
  return { type: 'question', answers: Object.fromEntries(answers) };
}

function optionIn({ method, params }: OpenRequest, result: Fields): string | undefined {
  if (method === GRANT) {
    if (Object.keys(recordOf(result.permissions)).length === 0) return 'decline';
    return result.scope === 'session' ? 'session' : 'turn';
  }
  if (method === ELICITATION) {
    if (result.action !== 'accept') return textAt(result, 'action');
    const persist = textAt(result._meta, 'persist');
    return persist === undefined ? 'accept' : `persist:${persist}`;
  }
  if (typeof result.decision === 'string') return result.decision;
  const decision = recordOf(result.decision);
  if (RULE in decision) return RULE;
  const network = recordOf(decision[NETWORK]).network_policy_amendment;
  const index = networkAmendments(recordOf(params)).findIndex(
    (one) => JSON.stringify(one) === JSON.stringify(network),
  );
  return network === undefined ? undefined : `${NETWORK}:${index}`;
}
