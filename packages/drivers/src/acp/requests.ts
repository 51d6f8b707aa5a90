/**
 * The agent's requests to the user: permissions with the agent's own options, plans, questions, forms, and unknown
 * kinds. Keeps what is needed to answer them; replies.ts creates the replies. Pure.
 */
import type { PermissionOption } from '@tugdeck/protocol/conversation/entries';
import { contentHash } from '@tugdeck/protocol/ids';
import { exactSource } from '../kit/exact-json.ts';
import { recordOf, textAt } from '../kit/fields.ts';
import { ownProperty } from '../kit/own-property.ts';
import { choicesOf, questionsOf } from '../kit/questions.ts';
import { idKey, type RpcId } from '../kit/rpc.ts';
import type { Scope } from '../kit/scope.ts';
import { toolText } from './content.ts';
import { diffOf, fieldsOf, textsOf, toolKindOf } from './tool-display.ts';
import type { Tool } from './tool-record.ts';
import type { Tools } from './tools.ts';
import { type PermissionParams, readPermission } from './wire.ts';

export interface OpenRequest {
  readonly entry: string;
  readonly rpc: RpcId;
  readonly kind: 'permission' | 'plan' | 'question' | 'form';
  readonly method: string;
  readonly params: unknown;
  /** The agent's id of the tool. */
  readonly tool: string | undefined;
  /** Allowing and rejecting options. */
  readonly options: readonly PermissionOption[];
}

const EFFECTS: Readonly<Record<string, PermissionOption['effect']>> = {
  allow_once: 'allow-once',
  allow_always: 'allow-always',
  reject_once: 'reject-once',
  reject_always: 'reject-always',
};

export class Requests {
  readonly #scope: Scope;
  readonly #tools: Tools;
  readonly #open = new Map<string, OpenRequest>();
  #lastPlan = '';
  #refused = false;

  constructor(scope: Scope, tools: Tools) {
    this.#scope = scope;
    this.#tools = tools;
  }

  get open(): readonly OpenRequest[] {
    return [...this.#open.values()];
  }

  receive(rpc: RpcId, method: string, params: unknown): void {
    if (this.open.some((request) => idKey(request.rpc) === idKey(rpc))) return;
    const permission = method === 'session/request_permission' ? readPermission(params) : undefined;
    if (permission) this.#permission(rpc, permission);
    else if (method === 'elicitation/create') this.#elicitation(rpc, params);
    else this.#form(rpc, method, params, `The agent asks (${method.replace(/[_/]/g, ' ').trim()})`);
  }

  /** Answered or withdrawn. `allowed` is undefined if nobody decided. */
  done(entry: string, allowed?: boolean): OpenRequest | undefined {
    const request = this.#open.get(entry);
    this.#open.delete(entry);
    if (allowed === false) this.#refused = true;
    if (request?.tool !== undefined && request.kind === 'permission')
      this.#tools.answered(request.tool, allowed);
    return request;
  }

  withdraw(entry: string): OpenRequest | undefined {
    const request = this.done(entry);
    if (request) this.#scope.out.put({ kind: 'request.settled', entry, status: 'withdrawn' });
    return request;
  }

  withdrawAll(): OpenRequest[] {
    return this.open.flatMap(({ entry }) => this.withdraw(entry) ?? []);
  }

  /** Whether anything was denied since the last call. */
  takeRefused(): boolean {
    const refused = this.#refused;
    this.#refused = false;
    return refused;
  }

  /** Whether this text is the last plan that was shown for approval. */
  wasShown(text: string): boolean {
    return text.trim() === this.#lastPlan.trim();
  }

  #permission(rpc: RpcId, params: PermissionParams): void {
    const { toolCall } = params;
    const known = this.#tools.find(toolCall.toolCallId);
    if ((toolCall.kind ?? known?.kind) === 'switch_mode') {
      this.#plan(rpc, params, known);
      return;
    }
    const tool = this.#tools.openForRequest(toolCall);
    const options = params.options.map(({ optionId, name, kind }) => ({
      id: optionId,
      label: name,
      effect: ownProperty(EFFECTS, kind) ?? (/reject|deny|cancel/i.test(kind) ? 'reject-once' : 'allow-once'),
    }));
    // The request states what will happen; the tool fills in the rest.
    const requested: Tool = {
      ...tool,
      title: toolCall.title || tool.title,
      rawInput: toolCall.rawInput ?? tool.rawInput,
      locations: toolCall.locations ?? tool.locations,
    };
    const stated = textsOf(toolCall.content ?? []);
    const diff = diffOf(stated.length > 0 ? stated : tool.texts);
    const reason = toolText(toolCall.content ?? []);
    const source = exactSource(requested.rawInput);
    const shown = {
      tool: tool.name ?? (tool.title || 'Tool'),
      toolKind: toolKindOf(tool),
      title: requested.title || 'Allow this?',
      fields: fieldsOf(requested),
      options,
      canEdit: false,
      canComment: false,
      ...(requested.rawInput === undefined ? {} : { input: requested.rawInput }),
      ...(source === undefined ? {} : { source }),
      raw: besidesInput(params),
      ...(reason === '' ? {} : { reason }),
      ...(diff.length === 0 ? {} : { diff }),
    };
    const entry = this.#keep('permission', rpc, 'session/request_permission', params, tool.id, options);
    this.#scope.open({
      id: entry,
      kind: 'permission',
      status: 'partial',
      about: tool.entry,
      request: { status: 'pending', shown: contentHash(shown), ...shown },
    });
  }

  /** To leave plan mode. The plan is in the tool's input or content, not always in the request. */
  #plan(rpc: RpcId, params: PermissionParams, known: Tool | undefined): void {
    const { toolCall } = params;
    const text =
      textAt(toolCall.rawInput, 'plan') ??
      textAt(known?.rawInput, 'plan') ??
      (toolText(toolCall.content ?? []) || toolText(known?.content ?? []) || toolCall.title || '');
    const options = params.options.map(({ optionId, name, kind }) => ({
      id: optionId,
      label: name,
      effect: ownProperty(EFFECTS, kind) ?? ('allow-once' as const),
    }));
    const modes = options
      .filter(({ effect }) => effect.startsWith('allow'))
      .map(({ id, label }) => ({ id, label }));
    this.#tools.hold(toolCall);
    this.#lastPlan = text;
    const entry = this.#keep('plan', rpc, 'session/request_permission', params, toolCall.toolCallId, options);
    this.#scope.open({
      id: entry,
      kind: 'plan',
      status: 'partial',
      text,
      request: { status: 'pending', shown: contentHash({ text, modes }), modes, raw: ofRequest(params) },
    });
  }

  #elicitation(rpc: RpcId, params: unknown): void {
    const message = textAt(params, 'message') ?? '';
    const choices = choicesOf(recordOf(params).requestedSchema);
    const tool = textAt(params, 'toolCallId');
    if (!choices) {
      const url = textAt(params, 'url');
      const title = url === undefined ? message || 'The agent asks' : `Open ${url}`;
      this.#form(rpc, 'elicitation/create', params, title);
      return;
    }
    if (tool !== undefined) this.#tools.replaced(tool);
    const questions = questionsOf(choices, message);
    const entry = this.#keep('question', rpc, 'elicitation/create', params, tool, []);
    this.#scope.open({
      id: entry,
      kind: 'question',
      status: 'partial',
      request: {
        status: 'pending',
        shown: contentHash(questions),
        questions,
        raw: ofRequest(recordOf(params)),
      },
    });
  }

  #form(rpc: RpcId, method: string, params: unknown, title: string): void {
    const schema = recordOf(params).requestedSchema;
    const entry = this.#keep('form', rpc, method, params, undefined, []);
    this.#scope.open({
      id: entry,
      kind: 'form',
      status: 'partial',
      request: {
        status: 'pending',
        shown: contentHash({ method, params }),
        title,
        message: textAt(params, 'message') ?? '',
        raw: params,
        ...(schema === undefined ? {} : { schema }),
      },
    });
  }

  #keep(
    kind: OpenRequest['kind'],
    rpc: RpcId,
    method: string,
    params: unknown,
    tool: string | undefined,
    options: readonly PermissionOption[],
  ): string {
    const entry = this.#scope.out.id(kind);
    this.#open.set(entry, { entry, rpc, kind, method, params, tool, options });
    return entry;
  }
}

/** Without the session id, which is not part of what the user sees. */
function ofRequest({ sessionId: _, ...params }: Readonly<Record<string, unknown>>): unknown {
  return params;
}

function besidesInput({ sessionId: _, toolCall, ...params }: PermissionParams): unknown {
  const { rawInput: _input, ...rest } = toolCall;
  return { toolCall: rest, ...params };
}
