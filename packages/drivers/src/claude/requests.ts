/**
 * The agent's requests: permissions, questions, plans, and any other kind as a form, so that no request is invisible.
 * Keeps the raw request, from which the answer is built.
 */
import type { RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { contentHash } from '@tugdeck/protocol/ids';
import type { Emitter } from '../kit/emitter.ts';
import { exactSource } from '../kit/exact-json.ts';
import { listOf, recordOf, textAt } from '../kit/fields.ts';
import { modeLabel } from './info-tracker.ts';
import { permissionOptions } from './permission-rules.ts';
import {
  inputDiff,
  PLAN_TOOL,
  QUESTION_TOOL,
  shownName,
  toolFields,
  toolKind,
  toolTitle,
} from './tool-display.ts';
import type { Tools } from './tools.ts';
import type { ControlRequest } from './wire.ts';

export interface OpenRequest {
  readonly id: string;
  readonly kind: RequestEntry['kind'];
  /** The request as received. */
  readonly raw: Readonly<Record<string, unknown>>;
  /** The related tool use, if any. */
  readonly tool: string | undefined;
}

export class Requests {
  readonly #out: Emitter;
  readonly #tools: Tools;
  readonly #open = new Map<string, OpenRequest>();
  readonly #seenTools = new Set<string>();

  constructor(out: Emitter, tools: Tools) {
    this.#out = out;
    this.#tools = tools;
  }

  find(id: string): OpenRequest | undefined {
    return this.#open.get(id);
  }

  /** Whether a tool without its own entry was shown to the user. */
  wasAsked(tool: string): boolean {
    return this.#seenTools.delete(tool);
  }

  receive({ request_id: id, request }: ControlRequest): void {
    if (this.#open.has(id)) return;
    if (request.subtype !== 'can_use_tool') {
      this.#form(id, request);
      return;
    }
    const name = textAt(request, 'tool_name') ?? '';
    const tool = textAt(request, 'tool_use_id');
    if (name === QUESTION_TOOL || name === PLAN_TOOL) {
      if (tool !== undefined) this.#seenTools.add(tool);
      const known = tool === undefined ? undefined : this.#tools.find(tool);
      const input = { ...recordOf(known?.input), ...recordOf(request.input) };
      this.#keep(id, name === PLAN_TOOL ? 'plan' : 'question', request, tool);
      if (name === PLAN_TOOL) this.plan(id, input, known?.parent, { ...request, input });
      else this.question(id, input, known?.parent, { ...request, input });
      return;
    }
    this.#keep(id, 'permission', request, tool);
    this.#permission(id, name, request, tool);
  }

  /** The host settled it; the serializer creates the reply. */
  answered(id: string): OpenRequest | undefined {
    const request = this.#open.get(id);
    this.#open.delete(id);
    return request;
  }

  withdrawn(id: string): void {
    if (!this.#open.delete(id)) return;
    this.#out.put({ kind: 'request.settled', entry: id, status: 'withdrawn' });
  }

  /** The server reports that an external step is complete. */
  elicited(elicitation: string): void {
    for (const { id, raw } of [...this.#open.values()]) {
      if (raw.elicitation_id === elicitation) this.withdrawn(id);
    }
  }

  /** The turn ended; requests of background subagents stay open. */
  withdrawForeground(): void {
    for (const { id, tool } of [...this.#open.values()]) {
      if (tool === undefined || !this.#tools.isBackground(tool)) this.withdrawn(id);
    }
  }

  question(id: string, input: unknown, parent: string | undefined, raw = input): void {
    const questions = listOf(recordOf(input).questions).map((question, index) => ({
      id: questionId(index),
      header: textAt(question, 'header') ?? '',
      text: textAt(question, 'question') ?? '',
      multiple: recordOf(question).multiSelect === true,
      options: listOf(recordOf(question).options).map((option) => {
        const preview = textAt(option, 'preview');
        return {
          label: textAt(option, 'label') ?? '',
          description: textAt(option, 'description') ?? '',
          ...(preview === undefined ? {} : { preview }),
        };
      }),
    }));
    this.#out.open({
      id,
      kind: 'question',
      status: 'partial',
      request: { status: 'pending', shown: contentHash(questions), questions, raw },
      ...(parent === undefined ? {} : { parent }),
    });
  }

  plan(id: string, input: unknown, parent: string | undefined, raw = input): void {
    const text = textAt(input, 'plan') ?? '';
    const path = textAt(input, 'planFilePath');
    const modes = ['default', 'acceptEdits'].map((mode) => ({ id: mode, label: modeLabel(mode) }));
    this.#out.open({
      id,
      kind: 'plan',
      status: 'partial',
      text,
      request: {
        status: 'pending',
        shown: contentHash({ text, modes }),
        modes,
        canEdit: true,
        raw,
        ...(path === undefined ? {} : { path }),
      },
      ...(parent === undefined ? {} : { parent }),
    });
  }

  #permission(id: string, name: string, request: ControlRequest['request'], tool: string | undefined): void {
    const { input, ...raw } = request;
    if (tool !== undefined) {
      const agent = textAt(request, 'agent_id');
      const under = agent === undefined ? undefined : this.#tools.ofTask(agent);
      if (!this.#tools.has(tool)) this.#tools.use({ id: tool, name, input, parent: under });
      this.#tools.requestReceived(tool);
    }
    const parent = tool === undefined ? undefined : this.#tools.find(tool)?.parent;
    const reason = textAt(request, 'decision_reason');
    const blockedPath = textAt(request, 'blocked_path');
    const diff = inputDiff(name, input);
    const source = exactSource(input);
    const shown = {
      tool: shownName(name),
      toolKind: toolKind(name),
      title: permissionTitle(name, input),
      fields: toolFields(input),
      options: permissionOptions(listOf(request.permission_suggestions)),
      input,
      ...(source === undefined ? {} : { source }),
      canEdit: true,
      canComment: true,
      raw,
      ...(reason === undefined ? {} : { reason }),
      ...(diff === undefined ? {} : { diff }),
    };
    this.#out.open({
      id,
      kind: 'permission',
      status: 'partial',
      // `raw` contains the path too, so the hash covers it.
      request: {
        status: 'pending',
        shown: contentHash(shown),
        ...shown,
        ...(blockedPath === undefined ? {} : { blockedPath }),
      },
      ...(tool === undefined ? {} : { about: tool }),
      ...(parent === undefined ? {} : { parent }),
    });
  }

  #form(id: string, request: ControlRequest['request']): void {
    this.#keep(id, 'form', request, undefined);
    const server = textAt(request, 'mcp_server_name');
    const title =
      request.subtype === 'elicitation' && server !== undefined
        ? `${server} asks`
        : `The agent asks (${request.subtype.replace(/_/g, ' ')})`;
    this.#out.open({
      id,
      kind: 'form',
      status: 'partial',
      request: {
        status: 'pending',
        shown: contentHash(request),
        title,
        message: textAt(request, 'message') ?? '',
        raw: request,
        ...(request.requested_schema === undefined ? {} : { schema: request.requested_schema }),
      },
    });
  }

  #keep(id: string, kind: OpenRequest['kind'], raw: OpenRequest['raw'], tool: string | undefined): void {
    this.#open.set(id, { id, kind, raw, tool });
  }
}

export function questionId(index: number): string {
  return `q${index + 1}`;
}

/** A question that describes the effect. */
function permissionTitle(name: string, input: unknown): string {
  const path = textAt(input, 'file_path') ?? textAt(input, 'notebook_path');
  switch (toolKind(name)) {
    case 'shell':
      return 'Run this command?';
    case 'edit':
      return name === 'Write' ? `Write ${path ?? 'a file'}?` : `Change ${path ?? 'a file'}?`;
    case 'read':
      return `Read ${path ?? 'a file'}?`;
    case 'fetch':
      return `Fetch ${textAt(input, 'url') ?? textAt(input, 'query') ?? 'from the network'}?`;
    default:
      return `Use ${toolTitle(name, input)}?`;
  }
}
