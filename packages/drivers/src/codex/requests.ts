/**
 * The agent's requests to the user: commands, edits, permissions, MCP tools, questions, forms, and unknown kinds.
 * Keeps what is needed to answer them; replies.ts creates the replies. Pure.
 */
import type { Field, FileDiff, PermissionOption, ToolKind } from '@tugdeck/protocol/conversation/entries';
import { contentHash } from '@tugdeck/protocol/ids';
import { commandLine } from '../kit/command-line.ts';
import { exactSource, withoutMembers } from '../kit/exact-json.ts';
import { type Fields, listOf, recordOf, textAt } from '../kit/fields.ts';
import { inputFields } from '../kit/input-fields.ts';
import { choicesOf, questionsOf } from '../kit/questions.ts';
import { idKey, type RpcId } from '../kit/rpc.ts';
import type { Scope } from '../kit/scope.ts';
import { firstLine } from './history-tools.ts';
import { commandFields, commandTitle, diffOf, viewOf } from './item-view.ts';
import type { Item, Items } from './items.ts';
import { commandOptions, editOptions, grantOptions, toolOptions } from './permission-options.ts';
import { differingFields, rightsFields, toolArguments, toolCallOf } from './request-fields.ts';

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
/** Shown separately, or only in the raw view. */
const NOT_FIELDS = new Set([...PLACE, 'reason', 'availableDecisions', 'commandActions']);
/** Listed only with another value. */
const USUAL: Fields = { kind: 'command', environmentId: 'local' };

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

  receive(rpc: RpcId, method: string, params: unknown): void {
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
    const itemData = item?.data ?? {};
    const stated = without(params, NOT_FIELDS);
    const input = { ...pick(itemData, ['command', 'cwd']), ...stated };
    const argv = input.command;
    const command = Array.isArray(argv) ? commandLine(argv) : (textAt(input, 'command') ?? '');
    const { additionalPermissions, ...rest } = input;
    const host = textAt(params.networkApprovalContext, 'host');
    const title = host === undefined ? commandTitle(command) : `Reach ${host}`;
    const isInput = params.kind === 'writeStdin';
    this.#permission(rpc, method, params, item, {
      tool: 'shell',
      toolKind: 'shell',
      title: isInput ? `Type into: ${title}` : title || 'Run a command',
      fields: [
        ...commandFields(rest),
        ...rightsFields(recordOf(additionalPermissions)),
        ...differingFields(itemData, stated),
      ],
      options: commandOptions(params),
      input,
      reason: textAt(params, 'reason'),
    });
  }

  #edit(rpc: RpcId, method: string, params: Fields): void {
    const item = this.#about(params, 'fileChange');
    const itemData = item?.data ?? { type: 'fileChange' };
    const view = viewOf(itemData);
    const rest = without(params, NOT_FIELDS);
    this.#permission(rpc, method, params, item, {
      tool: view.name,
      toolKind: 'edit',
      title: view.title,
      fields: [...view.fields, ...inputFields(rest, pathField)],
      options: editOptions(params),
      input: { ...rest, ...recordOf(view.input) },
      reason: textAt(params, 'reason'),
      diff: diffOf(recordOf(itemData).changes),
    });
  }

  #grant(rpc: RpcId, method: string, params: Fields): void {
    const input = without(params, NOT_FIELDS);
    this.#permission(rpc, method, params, undefined, {
      tool: 'request_permissions',
      toolKind: 'other',
      title: 'Grant more rights',
      fields: [
        ...inputFields(without(input, new Set(['permissions']))),
        ...rightsFields(recordOf(params.permissions)),
      ],
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
        raw: withoutMembers(recordOf(params), (key) => PLACE.has(key)),
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
      request: {
        status: 'pending',
        shown: contentHash(questions),
        questions,
        raw: withoutMembers(params, (key) => PLACE.has(key)),
      },
    });
  }

  #tool(rpc: RpcId, method: string, params: Fields, meta: Fields): void {
    const server = textAt(params, 'serverName') ?? '';
    const message = textAt(params, 'message') ?? '';
    const calls = this.#items.open.filter(
      ({ type, data, settled }) =>
        type === 'mcpToolCall' && settled === undefined && textAt(data, 'server') === server,
    );
    const item = toolCallOf(calls, message, meta.tool_params);
    const { name, input, fields } = toolArguments(item, server, meta.tool_params);
    const title = firstLine(message) || `Use ${name}`;
    this.#permission(rpc, method, params, item, {
      tool: name,
      toolKind: 'other',
      title,
      fields: message === '' || title === message ? fields : [messageField(message), ...fields],
      options: toolOptions(meta),
      input,
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
    details: PermissionDetails,
  ): void {
    if (item) this.#items.openForRequest(item);
    const { reason, diff, ...rest } = details;
    const source = exactSource(details.input);
    const shown = {
      ...rest,
      ...(source === undefined ? {} : { source }),
      canEdit: false,
      canComment: false,
      raw: withoutMembers(params, (key) => PLACE.has(key)),
      ...(reason ? { reason } : {}),
      ...(diff && diff.length > 0 ? { diff } : {}),
    };
    const entry = this.#keep('permission', rpc, method, params, item, details.options);
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

const messageField = (value: string): Field => ({ label: 'Message', value, form: 'text' });

function pathField(key: string, value: unknown): Field | undefined {
  return key === 'grantRoot' && typeof value === 'string'
    ? { label: 'Grant root', value, form: 'path' }
    : undefined;
}

/** The fields with a value, except those named and those with their usual value. */
function without(fields: Fields, names: ReadonlySet<string>): Fields {
  return withoutMembers(fields, (key, value) => {
    return names.has(key) || value == null || (Object.hasOwn(USUAL, key) && USUAL[key] === value);
  });
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.flatMap((name) => (fields[name] == null ? [] : [[name, fields[name]]])));
}
