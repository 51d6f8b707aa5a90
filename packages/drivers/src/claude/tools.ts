/**
 * Tool uses: one `tool` entry each, from the start of its block to its result, or to the end of its background task.
 * Question and plan tools have no entry here (M13).
 */
import type { EntryPatch, ToolState } from '@tugdeck/protocol/conversation/entries';
import type { Emitter } from '../kit/emitter.ts';
import { numberAt, recordOf, textAt } from '../kit/fields.ts';
import { taskProgress } from './events.ts';
import { inputDiff, isRequestTool, toolFields, toolKind, toolTitle, toolVariant } from './tool-display.ts';
import { errorText, shownResult } from './tool-result.ts';
import type { Block, SystemLine, UserLine } from './wire.ts';

export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly parent?: string | undefined;
  readonly timestamp?: string | undefined;
}

type Denial = NonNullable<EntryPatch['denied']>;

interface OpenTool {
  readonly name: string;
  input: unknown;
  usedAt: string | undefined;
  hasRequest: boolean;
  denied: Denial | undefined;
  background: boolean;
  /** Its input was streamed. */
  readonly streamed: boolean;
  parent: string | undefined;
}

export class Tools {
  readonly #out: Emitter;
  readonly #open = new Map<string, OpenTool>();
  /** Tool uses without their own entry, until their result. */
  readonly #hidden = new Map<string, ToolUse>();
  /** Background tasks by id. */
  readonly #tasks = new Map<string, string>();

  constructor(out: Emitter) {
    this.#out = out;
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  /** The tool use of a task or subagent. */
  ofTask(task: string): string | undefined {
    return this.#tasks.get(task);
  }

  /** Whether it outlives the turn, itself or as part of a subagent. */
  isBackground(id: string): boolean {
    const tool = this.#open.get(id) ?? this.#hidden.get(id);
    if (!tool) return false;
    if ('background' in tool && tool.background) return true;
    return tool.parent !== undefined && this.isBackground(tool.parent);
  }

  /** Name and input of an unfinished tool use. */
  find(
    id: string,
  ): { readonly name: string; readonly input: unknown; readonly parent?: string | undefined } | undefined {
    return this.#open.get(id) ?? this.#hidden.get(id);
  }

  /** Its block started: the name is known, the input is not. */
  announce(id: string, name: string): void {
    if (isRequestTool(name)) {
      this.#hidden.set(id, { id, name, input: {} });
      return;
    }
    this.#enter(id, { name, input: undefined, streamed: true });
    this.#out.open({
      id,
      kind: 'tool',
      status: 'partial',
      name,
      title: toolTitle(name, undefined),
      toolKind: toolKind(name),
      ...toolVariant(name),
      state: 'preparing',
    });
  }

  /** The complete input. Also called if a request is the first mention of a tool. */
  use(use: ToolUse): void {
    const { id, name, input } = use;
    if (isRequestTool(name)) {
      this.#hidden.set(id, use);
      return;
    }
    const known = this.#open.get(id);
    const shown = shownInput(name, input);
    if (!known) {
      this.#enter(id, { name, input, usedAt: use.timestamp, parent: use.parent });
      this.#out.open({
        id,
        kind: 'tool',
        status: 'partial',
        name,
        toolKind: toolKind(name),
        ...toolVariant(name),
        state: 'running',
        ...shown,
        ...(use.parent === undefined ? {} : { parent: use.parent }),
      });
      return;
    }
    known.input = input;
    known.usedAt = use.timestamp;
    const state: ToolState = known.hasRequest ? 'waiting' : 'running';
    this.#patch(id, { ...shown, toolKind: toolKind(name), state });
  }

  requestReceived(id: string): void {
    const tool = this.#open.get(id);
    if (!tool) return;
    tool.hasRequest = true;
    this.#patch(id, { state: 'waiting' });
  }

  /** `input`: as edited by the user; the agent does not report it. */
  answered(id: string, answer: { allowed: boolean; why?: string | undefined; input?: unknown }): void {
    const tool = this.#open.get(id);
    if (!tool) return;
    if (!answer.allowed) {
      tool.denied = { by: 'user', ...(answer.why ? { why: answer.why } : {}) };
      return;
    }
    if (answer.input !== undefined) tool.input = answer.input;
    this.#patch(id, {
      state: 'running',
      ...(answer.input === undefined ? {} : shownInput(tool.name, answer.input)),
    });
  }

  /** Denied without asking the user (A9). */
  refused(line: SystemLine): void {
    const tool = this.#open.get(textAt(line, 'tool_use_id') ?? '');
    if (!tool) return;
    const why = textAt(line, 'message') ?? textAt(line, 'decision_reason');
    tool.denied = { by: deniedBy(textAt(line, 'decision_reason_type')), ...(why ? { why } : {}) };
  }

  /** Handles a `tool_result`; returns the tool, even one without an entry. */
  result(
    line: UserLine,
    block: Block,
    interrupted: boolean,
  ): { id: string; name: string; input: unknown } | undefined {
    const id = textAt(block, 'tool_use_id') ?? '';
    const hidden = this.#hidden.get(id);
    if (hidden) {
      this.#hidden.delete(id);
      return { id, name: hidden.name, input: hidden.input };
    }
    const tool = this.#open.get(id);
    if (!tool) return undefined;
    if (block.is_error === true) {
      this.#fail(id, tool, line, block, interrupted);
      return undefined;
    }
    const shown = shownResult(tool.name, line.tool_use_result, block.content);
    const structured = recordOf(line.tool_use_result);
    const task =
      textAt(structured, 'backgroundTaskId') ??
      (structured.isAsync ? textAt(structured, 'agentId') : undefined);
    if (task !== undefined || tool.background) {
      if (task !== undefined) this.#tasks.set(task, id);
      // A subagent's launch message is for the model; its report comes at the end.
      this.#toBackground(id, {
        ...(task === undefined ? {} : { task }),
        ...(toolKind(tool.name) === 'agent' ? {} : shown),
      });
      return { id, name: tool.name, input: tool.input };
    }
    const durationMs = shown.durationMs ?? elapsed(tool, line.timestamp);
    this.#close(id, 'complete', {
      state: 'done',
      ...shown,
      ...(durationMs === undefined ? {} : { durationMs }),
    });
    return { id, name: tool.name, input: tool.input };
  }

  /** The result of a provider-side tool, contained in the model's own message. */
  serverResult(block: Block, parent: string | undefined): void {
    const id = textAt(block, 'tool_use_id') ?? '';
    const tool = this.#open.get(id);
    if (!tool) return;
    tool.parent ??= parent;
    const error = textAt(block.content, 'error_code');
    if (block.is_error === true || error !== undefined) {
      this.#close(id, 'failed', { state: 'failed', error: error ?? errorText(block.content) });
    } else {
      this.#close(id, 'complete', { state: 'done', result: { type: 'json', value: block.content } });
    }
  }

  /** Progress of a running tool. */
  progressed(id: string, progress: string): void {
    if (progress !== '' && this.#open.has(id)) this.#patch(id, { progress });
  }

  task(line: SystemLine): void {
    const task = textAt(line, 'task_id') ?? '';
    if (line.subtype === 'task_started') {
      const id = textAt(line, 'tool_use_id') ?? '';
      if (!this.#open.has(id)) return;
      this.#tasks.set(task, id);
      if (line.is_backgrounded === true) this.#toBackground(id, { task });
      else this.#patch(id, { task });
    } else if (line.subtype === 'task_updated') {
      const id = this.#tasks.get(task);
      const patch = recordOf(line.patch);
      if (id === undefined || !this.#open.has(id)) return;
      if (patch.is_backgrounded === true) this.#toBackground(id, {});
      if (patch.status === 'paused') this.progressed(id, 'Paused');
    } else if (line.subtype === 'task_progress') {
      const id = this.#tasks.get(task) ?? textAt(line, 'tool_use_id') ?? '';
      this.progressed(id, taskProgress(line));
    } else if (line.subtype === 'task_notification') {
      this.#taskEnded(task, line);
    }
  }

  /** Its block was cut off. */
  abandon(id: string): void {
    this.#hidden.delete(id);
    if (this.#open.has(id)) this.#close(id, 'cancelled', { state: 'interrupted' });
  }

  /** The turn ended: only background tools stay open. */
  settle(state: 'interrupted' | 'stale'): void {
    for (const id of [...this.#open.keys()]) {
      if (this.isBackground(id)) continue;
      this.#close(id, state === 'interrupted' ? 'cancelled' : 'stale', { state });
    }
  }

  #toBackground(id: string, patch: EntryPatch): void {
    const tool = this.#open.get(id);
    if (!tool) return;
    tool.background = true;
    this.#patch(id, { ...patch, state: 'background' });
  }

  #taskEnded(task: string, line: SystemLine): void {
    const [status, summary] = [textAt(line, 'status'), textAt(line, 'summary')];
    const id = this.#tasks.get(task);
    this.#tasks.delete(task);
    const tool = id === undefined ? undefined : this.#open.get(id);
    // A foreground task is closed by its result.
    if (id === undefined || !tool?.background) return;
    if (status === 'completed') this.#close(id, 'complete', { state: 'done', ...report(tool.name, line) });
    else if (status === 'stopped') this.#close(id, 'cancelled', { state: 'interrupted' });
    else this.#close(id, 'failed', { state: 'failed', ...(summary ? { error: summary } : {}) });
  }

  #fail(id: string, tool: OpenTool, line: UserLine, block: Block, interrupted: boolean): void {
    const error = errorText(block.content);
    const meta = line.tool_result_meta?.find((candidate) => candidate.id === id);
    const decision = meta?.permission_decision;
    const denied = tool.denied ?? (decision?.decision === 'reject' ? denial(decision, error) : undefined);
    if (denied) {
      this.#close(id, 'failed', { state: 'denied', denied, error });
    } else if (interrupted || meta?.non_execution_kind === 'user-rejected') {
      this.#close(id, 'cancelled', { state: 'interrupted' });
    } else {
      const durationMs = elapsed(tool, line.timestamp);
      this.#close(id, 'failed', {
        state: 'failed',
        error,
        ...(durationMs === undefined ? {} : { durationMs }),
      });
    }
  }

  #enter(id: string, tool: Pick<OpenTool, 'name' | 'input'> & Partial<OpenTool>): void {
    this.#open.set(id, {
      usedAt: undefined,
      hasRequest: false,
      denied: undefined,
      background: false,
      streamed: false,
      parent: undefined,
      ...tool,
    });
  }

  #patch(entry: string, patch: EntryPatch): void {
    this.#out.put({ kind: 'entry.patched', entry, patch });
  }

  #close(entry: string, status: 'complete' | 'cancelled' | 'failed' | 'stale', patch: EntryPatch): void {
    // The raw input is removed only now: while the entry is open, a repeated append would restore it.
    const raw = this.#open.get(entry)?.streamed ? { inputText: '' } : {};
    this.#open.delete(entry);
    this.#out.put({ kind: 'entry.closed', entry, status, patch: { ...patch, ...raw } });
  }
}

function shownInput(
  name: string,
  input: unknown,
): Pick<EntryPatch, 'input' | 'fields' | 'diff'> & { title: string } {
  const diff = inputDiff(name, input);
  return { input, title: toolTitle(name, input), fields: toolFields(input), ...(diff ? { diff } : {}) };
}

/** The hook's own text inside its error message. */
const HOOK_ERROR = /^\w+(?::\S+)? hook error: \[[\s\S]*\]: ([\s\S]+)$/;

type Decision = NonNullable<NonNullable<UserLine['tool_result_meta']>[number]['permission_decision']>;

function denial({ source, reason_type }: Decision, why: string): Denial {
  if (source === 'user_reject') return { by: 'user', why };
  if (source === 'hook') return { by: 'hook', why: HOOK_ERROR.exec(why)?.[1]?.trim() || why };
  return { by: deniedBy(reason_type), why };
}

/** Without a reason, and if nobody could be asked, the mode denied it. */
function deniedBy(reason: string | undefined): 'rule' | 'mode' | 'hook' {
  switch (reason) {
    case 'hook':
      return 'hook';
    case 'mode':
    case 'classifier':
    case 'asyncAgent':
    case undefined:
      return 'mode';
    default:
      return 'rule';
  }
}

/** The report of a background subagent. */
function report(name: string, line: SystemLine): Pick<EntryPatch, 'result' | 'durationMs'> {
  const text = textAt(line, 'summary');
  if (toolKind(name) !== 'agent' || text === undefined) return {};
  const usage = recordOf(line.usage);
  const [tokens, toolUses] = [numberAt(usage, 'total_tokens'), numberAt(usage, 'tool_uses')];
  const durationMs = numberAt(usage, 'duration_ms');
  return {
    result: {
      type: 'agent',
      text,
      ...(tokens === undefined ? {} : { tokens }),
      ...(toolUses === undefined ? {} : { toolUses }),
      ...(durationMs === undefined ? {} : { durationMs }),
    },
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}

/** Duration by the agent's timestamps; undefined if the tool waited for the user. */
function elapsed(tool: OpenTool, until: string | undefined): number | undefined {
  if (tool.hasRequest || tool.usedAt === undefined || until === undefined) return undefined;
  const ms = Date.parse(until) - Date.parse(tool.usedAt);
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}
