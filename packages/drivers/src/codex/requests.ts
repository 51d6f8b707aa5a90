/**
 * The agent's requests to the user: commands, edits, permissions, MCP tools, questions, forms, and unknown kinds.
 * Keeps what is needed to answer them; replies.ts creates the replies. Pure.
 */
import type { Field, FileDiff, PermissionOption, ToolKind } from '@tugdeck/protocol/conversation/entries';
import { contentHash } from '@tugdeck/protocol/ids';
import { type Fields, listOf, recordOf, textAt } from '../kit/fields.ts';
import { inputFields } from '../kit/input-fields.ts';
import { choicesOf, questionsOf } from '../kit/questions.ts';
import { idKey, type RpcId } from '../kit/rpc.ts';
import type { Scope } from '../kit/scope.ts';
import { commandFields, commandTitle, diffOf, viewOf } from './item-view.ts';
import type { Item, Items } from './items.ts';
import { commandOptions, editOptions, grantOptions, toolOptions } from './permission-options.ts';

export interface OpenRequest {
  readonly entry: string;
  readonly rpc: RpcId;
  readonly kind: 'permission' | 'question' | 'form';
  readonly method: string;
  readonly params: unknown;
  readonly item: Item | undefined;
  readonly options: readonly PermissionOption[];
}

interface PermissionDetails {
  readonly tool: string;
  readonly toolKind: ToolKind;
  readonly title: string;
  readonly fields: Field[];
  readonly options: PermissionOption[];
  readonly input: unknown;
  readonly reason?: string | undefined;
  readonly diff?: FileDiff[] | undefined;
}

/** Ids of the position in the thread, not part of the decision. */
const PLACE = new Set(['threadId', 'turnId', 'itemId', 'startedAtMs', 'approvalId', 'callId']);
/** Shown separately. */
const NOT_FIELDS = new Set([
  ...PLACE,
  'reason',
  'availableDecisions',
  'commandActions',
  'kind',
  'environmentId',
]);

export class Requests {
  readonly #scope: Scope;
  readonly #items: Items;
  readonly #open = new Map<string, OpenRequest>();

  constructor(scope: Scope, items: Items) {
    this.#scope = scope;
    this.#items = items;
  }

  get open(): readonly OpenRequest[] {
    return [...this.#open.values()];
  }

  asked(rpc: RpcId, method: string, params: unknown): void {
    // Rejoining a thread repeats its open requests.
    if (this.open.some((request) => idKey(request.rpc) === idKey(rpc))) return;
    switch (method) {
      case 'item/commandExecution/requestApproval':
        this.#command(rpc, method, recordOf(params));
        return;
      case 'item/fileChange/requestApproval':
        this.#edit(rpc, method, recordOf(params));
        return;
      case 'item/permissions/requestApproval':
        this.#grant(rpc, method, recordOf(params));
        return;
      case 'item/tool/requestUserInput':
        this.#question(rpc, method, params);
        return;
      case 'mcpServer/elicitation/request':
        this.#elicitation(rpc, method, recordOf(params));
        return;
      default:
        this.#form(rpc, method, params, `The agent asks (${method.replace(/[_/]/g, ' ').trim()})`);
    }
  }

  /** Answered or withdrawn. `allowed` is undefined if nobody decided. */
  done(entry: string, allowed?: boolean): OpenRequest | undefined {
    const request = this.#open.get(entry);
    this.#open.delete(entry);
    if (request?.item) this.#items.answered(request.item, allowed);
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

  #command(rpc: RpcId, method: string, params: Fields): void {
    const item = this.#about(params, 'commandExecution');
    const told = item?.data ?? {};
    const command = textAt(params, 'command') ?? textAt(told, 'command') ?? '';
    const input = without({ ...pick(told, ['command', 'cwd']), ...params }, NOT_FIELDS);
    const host = textAt(params.networkApprovalContext, 'host');
    const title = host === undefined ? commandTitle(command) : `Reach ${host}`;
    const isInput = params.kind === 'writeStdin';
    this.#permission(rpc, method, params, item, {
      tool: 'shell',
      toolKind: 'shell',
      title: isInput ? `Type into: ${title}` : title || 'Run a command',
      fields: commandFields(input),
      options: commandOptions(params),
      input,
      reason: textAt(params, 'reason'),
    });
  }

  #edit(rpc: RpcId, method: string, params: Fields): void {
    const item = this.#about(params, 'fileChange');
    const told = item?.data ?? { type: 'fileChange' };
    const view = viewOf(told);
    const rest = without(params, NOT_FIELDS);
    this.#permission(rpc, method, params, item, {
      tool: view.name,
      toolKind: 'edit',
      title: view.title,
      fields: [...view.fields, ...inputFields(rest)],
      options: editOptions(params),
      input: { ...rest, ...recordOf(view.input) },
      reason: textAt(params, 'reason'),
      diff: diffOf(recordOf(told).changes),
    });
  }

  #grant(rpc: RpcId, method: string, params: Fields): void {
    const input = without(params, NOT_FIELDS);
    const asked = { ...recordOf(params.permissions) };
    this.#permission(rpc, method, params, undefined, {
      tool: 'request_permissions',
      toolKind: 'other',
      title: 'Grant more rights',
      fields: [...inputFields(without(input, new Set(['permissions']))), ...inputFields(asked)],
      options: grantOptions(),
      input,
      reason: textAt(params, 'reason'),
    });
  }

  #question(rpc: RpcId, method: string, params: unknown): void {
    const questions = listOf(recordOf(params).questions).map((question, index) => ({
      id: textAt(question, 'id') ?? String(index),
      header: textAt(question, 'header') ?? '',
      text: textAt(question, 'question') ?? '',
      multiple: false,
      options: listOf(recordOf(question).options).map((option) => ({
        label: textAt(option, 'label') ?? '',
        description: textAt(option, 'description') ?? '',
      })),
    }));
    const entry = this.#keep('question', rpc, method, params, undefined, []);
    this.#scope.open({
      id: entry,
      kind: 'question',
      status: 'partial',
      request: {
        status: 'pending',
        shown: contentHash(questions),
        questions,
        raw: without(recordOf(params), PLACE),
      },
    });
  }

  /** Also used to request an MCP tool call. */
  #elicitation(rpc: RpcId, method: string, params: Fields): void {
    const meta = recordOf(params._meta);
    if (meta.codex_approval_kind !== undefined) {
      this.#tool(rpc, method, params, meta);
      return;
    }
    const message = textAt(params, 'message') ?? textAt(params, 'title') ?? '';
    const choices = choicesOf(params.requestedSchema);
    if (!choices) {
      const url = textAt(params, 'url');
      this.#form(rpc, method, params, url === undefined ? message || 'The agent asks' : `Open ${url}`);
      return;
    }
    const questions = questionsOf(choices, message);
    const entry = this.#keep('question', rpc, method, params, undefined, []);
    this.#scope.open({
      id: entry,
      kind: 'question',
      status: 'partial',
      request: { status: 'pending', shown: contentHash(questions), questions, raw: without(params, PLACE) },
    });
  }

  #tool(rpc: RpcId, method: string, params: Fields, meta: Fields): void {
    const server = textAt(params, 'serverName') ?? '';
    const item = this.#items.open.findLast(
      ({ type, data, settled }) =>
        type === 'mcpToolCall' && settled === undefined && textAt(data, 'server') === server,
    );
    const name = item ? viewOf(item.data).name : server;
    const given = meta.tool_params;
    const fields = inputFields(recordOf(given));
    this.#permission(rpc, method, params, item, {
      tool: name,
      toolKind: 'other',
      title: textAt(params, 'message') ?? `Use ${name}`,
      fields: fields.length > 0 || given == null ? fields : inputFields({ input: given }),
      options: toolOptions(meta),
      input: given ?? {},
      reason: textAt(meta, 'tool_description'),
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
        message: textAt(params, 'message') ?? textAt(params, 'description') ?? '',
        raw: params,
        ...(schema === undefined ? {} : { schema }),
      },
    });
  }

  #permission(
    rpc: RpcId,
    method: string,
    params: Fields,
    item: Item | undefined,
    asked: PermissionDetails,
  ): void {
    if (item) this.#items.ask(item);
    const { reason, diff, ...rest } = asked;
    const shown = {
      ...rest,
      canEdit: false,
      canComment: false,
      raw: without(params, PLACE),
      ...(reason ? { reason } : {}),
      ...(diff && diff.length > 0 ? { diff } : {}),
    };
    const entry = this.#keep('permission', rpc, method, params, item, asked.options);
    this.#scope.open({
      id: entry,
      kind: 'permission',
      status: 'partial',
      ...(item === undefined || item.entry === '' ? {} : { about: item.entry }),
      request: { status: 'pending', shown: contentHash(shown), ...shown },
    });
  }

  /** The related item; a request may be its first mention. */
  #about(params: Fields, type: string): Item | undefined {
    const id = textAt(params, 'itemId');
    if (id === undefined) return undefined;
    const turn = textAt(params, 'turnId');
    const known = this.#items.find(id, turn);
    if (known && !known.over && known.type === type) return known;
    return this.#items.started({ ...without(params, NOT_FIELDS), id, type }, turn);
  }

  #keep(
    kind: OpenRequest['kind'],
    rpc: RpcId,
    method: string,
    params: unknown,
    item: Item | undefined,
    options: readonly PermissionOption[],
  ): string {
    const entry = this.#scope.out.id(kind);
    this.#open.set(entry, { entry, rpc, kind, method, params, item, options });
    return entry;
  }
}

function without(fields: Fields, names: ReadonlySet<string>): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([key, value]) => !names.has(key) && value !== null && value !== undefined),
  );
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.flatMap((name) => (fields[name] == null ? [] : [[name, fields[name]]])));
}
