/**
 * Tool calls, one entry each (M13). Patches come in any order; an update or a permission request may be the first
 * mention. Question and plan tools are held back until it is clear whether a request replaces them.
 */
import type { EntryPatch, EntryStatus } from '@tugdeck/protocol/conversation/entries';
import type { Todo } from '@tugdeck/protocol/conversation/session-info';
import { listOf, numberAt, recordOf, textAt } from '../kit/fields.ts';
import type { Scope } from '../kit/scope.ts';
import { diffOf, errorOf, resultOf, textsOf, toolKindOf } from './tool-display.ts';
import {
  freshTool,
  hasExit,
  isEmpty,
  isHeld,
  isOver,
  merged,
  nameOf,
  stateOf,
  type Tool,
  textsOfView,
  todoState,
  viewOf,
} from './tool-record.ts';
import type { ToolPatch } from './wire.ts';

type Closed = Exclude<EntryStatus, 'partial'>;

/** Late changes are allowed, but memory is limited. */
const REMEMBERED = 1000;
/** Maximum output per tool (X2). */
const MAX_OUTPUT = 1024 * 1024;
const CUT = '\n… (cut here: the output is too long)\n';

export interface ToolsOptions {
  readonly scope: Scope;
  /** A tool opens, so the text before it is complete. */
  readonly opening: () => void;
  readonly todos: (todos: readonly Todo[]) => void;
  /** Whether the user requested a cancellation. */
  readonly cancelling: () => boolean;
}

export class Tools {
  readonly #options: ToolsOptions;
  readonly #scope: Scope;
  readonly #tools = new Map<string, Tool>();
  /** Tools that are replaced by a request entry. */
  readonly #replaced = new Set<string>();

  constructor(options: ToolsOptions) {
    this.#options = options;
    this.#scope = options.scope;
  }

  find(id: string): Tool | undefined {
    return this.#tools.get(id);
  }

  /** Handles `tool_call` and `tool_call_update`; `meta` may be outside the update. */
  patch(patch: ToolPatch, isNew: boolean, meta: unknown): void {
    let tool = this.#tools.get(patch.toolCallId);
    // Some agents reuse ids in another turn.
    if (tool?.closed && isNew && tool.turn !== this.#scope.turn) tool = undefined;
    tool = merged(tool ?? freshTool(patch.toolCallId, this.#scope.turn), patch);
    tool = this.#terminal(tool, { ...recordOf(meta), ...recordOf(patch._meta) });
    this.#show(tool);
  }

  /** A request about this tool: opens the entry if needed (M13) and fills in missing data. */
  openForRequest(patch: ToolPatch): Tool {
    const known = this.#tools.get(patch.toolCallId);
    const usable = known && !known.closed ? known : undefined;
    const shown = usable
      ? { ...usable, texts: usable.texts.length > 0 ? usable.texts : textsOf(patch.content ?? []) }
      : merged(freshTool(patch.toolCallId, this.#scope.turn), { ...patch, status: 'pending' });
    const filled: Tool = {
      ...shown,
      rawInput: isEmpty(shown.rawInput) ? patch.rawInput : shown.rawInput,
      kind: shown.kind ?? patch.kind ?? undefined,
      pendingRequests: shown.pendingRequests + 1,
    };
    this.#show(filled);
    return this.#tools.get(patch.toolCallId) ?? filled;
  }

  answered(id: string, allowed: boolean | undefined): void {
    const tool = this.#tools.get(id);
    if (!tool || tool.closed) return;
    const pendingRequests = Math.max(0, tool.pendingRequests - 1);
    const status = allowed && tool.status === 'pending' ? 'in_progress' : tool.status;
    this.#show({ ...tool, pendingRequests, status, denied: tool.denied || allowed === false });
  }

  /** Output of a terminal that we run for the agent. */
  output(terminal: string, data: string): void {
    const tool = [...this.#tools.values()].find(({ terminals }) => terminals.includes(terminal));
    if (tool && !tool.closed) this.#append(tool, data);
  }

  /** Whether a shell command is running. */
  isRunning(): boolean {
    for (const tool of this.#tools.values()) {
      if (!tool.closed && stateOf(tool) === 'running' && toolKindOf(tool) === 'shell') return true;
    }
    return false;
  }

  /** Closes what the agent left open at the end of a turn or replay. */
  settle(state: 'interrupted' | 'stale'): void {
    for (const tool of [...this.#tools.values()]) {
      if (tool.closed) continue;
      if (tool.held && this.#replaced.has(tool.id)) this.#remember({ ...tool, closed: true });
      else if (tool.held) this.#close(this.#open({ ...tool, held: false }), 'cancelled', { state });
      else if (tool.denied) this.#close(tool, 'failed', { state: 'denied', denied: { by: 'user' } });
      else this.#close(tool, state === 'interrupted' ? 'cancelled' : 'stale', { state });
    }
  }

  /** Terminals that exist only in `_meta`: their output comes with the updates. */
  #terminal(tool: Tool, meta: Readonly<Record<string, unknown>>): Tool {
    const exit = recordOf(meta.terminal_exit);
    const exitCode = numberAt(exit, 'exit_code') ?? tool.exitCode;
    const whole = textAt(meta.terminal_output, 'data');
    const delta = textAt(meta.terminal_output_delta, 'data');
    const withExit = { ...tool, exitCode };
    if (whole === undefined && delta === undefined) return withExit;
    // `terminal_output` may repeat earlier output.
    const known = tool.output ?? '';
    const fresh = whole !== undefined && known !== '' && whole.startsWith(known);
    const data = fresh ? (whole ?? '').slice(known.length) : (whole ?? '') + (delta ?? '');
    return tool.closed || tool.held ? { ...withExit, output: known + data } : this.#append(withExit, data);
  }

  #append(tool: Tool, all: string): Tool {
    const opened = tool.entry === '' ? this.#open(tool) : tool;
    const at = (opened.output ?? '').length;
    const room = MAX_OUTPUT - at;
    const data = all.length <= room ? all : room > 0 ? `${all.slice(0, room)}${CUT}` : '';
    if (data !== '')
      this.#scope.out.put({ kind: 'live', entry: opened.entry, field: 'output', at, text: data });
    const grown = { ...opened, output: (opened.output ?? '') + data };
    this.#remember(grown);
    return grown;
  }

  #show(tool: Tool): void {
    if (tool.closed) {
      this.#late(tool);
      return;
    }
    const held = tool.entry === '' && isHeld(tool);
    if (held) {
      // It finished without a request, so it was an ordinary tool.
      if (!isOver(tool.status) || tool.pendingRequests > 0) {
        this.#remember({ ...tool, held: true });
        return;
      }
      if (tool.held && this.#replaced.has(tool.id)) {
        this.#remember({ ...tool, held: true, closed: true });
        return;
      }
    }
    const opened = tool.entry === '' ? this.#open({ ...tool, held: false }) : this.#patched(tool);
    if (isOver(opened.status)) this.#finish(opened);
    else this.#remember(opened);
  }

  /** A request entry replaces this tool. */
  replaced(id: string): void {
    this.#replaced.add(id);
  }

  /** Like `replaced`, but the request may be the first mention. */
  hold(patch: ToolPatch): void {
    this.replaced(patch.toolCallId);
    const known = this.#tools.get(patch.toolCallId);
    if (!known)
      this.#remember({ ...merged(freshTool(patch.toolCallId, this.#scope.turn), patch), held: true });
  }

  #open(tool: Tool): Tool {
    this.#options.opening();
    const entry = this.#scope.out.id('tool');
    const view = viewOf(tool);
    this.#scope.open({ id: entry, kind: 'tool', status: 'partial', name: nameOf(tool), ...view });
    const opened = { ...tool, entry, shown: textsOfView(view) };
    this.#remember(opened);
    return opened;
  }

  #patched(tool: Tool): Tool {
    const view = viewOf(tool);
    const now = textsOfView(view);
    const changed = Object.keys(now).filter((key) => now[key] !== tool.shown[key]);
    if (changed.length === 0) return tool;
    const patch = Object.fromEntries(changed.map((key) => [key, view[key as keyof typeof view]]));
    this.#scope.out.put({ kind: 'entry.patched', entry: tool.entry, patch: patch as EntryPatch });
    return { ...tool, shown: now };
  }

  #finish(tool: Tool): void {
    const ownResult = resultOf(tool);
    // A diff says more than an edit's JSON result.
    const result = ownResult?.type === 'json' && tool.texts.length > 0 ? undefined : ownResult;
    // A failed call's text is its error; only commands also have output.
    const isShown = tool.status !== 'failed' || tool.output !== undefined || hasExit(result);
    const shown: EntryPatch = result === undefined || !isShown ? {} : { result };
    if (tool.status === 'failed') {
      const error = errorOf(tool);
      if (tool.denied) this.#close(tool, 'failed', { state: 'denied', denied: { by: 'user' }, error });
      else if (this.#options.cancelling()) this.#close(tool, 'cancelled', { ...shown, state: 'interrupted' });
      else this.#close(tool, 'failed', { ...shown, state: 'failed', error });
      return;
    }
    // Agents report canceled commands as completed; one that really ended has an exit code.
    const cut = this.#options.cancelling() && toolKindOf(tool) === 'shell' && !hasExit(result);
    if (cut) this.#close(tool, 'cancelled', { ...shown, state: 'interrupted' });
    else this.#close(tool, 'complete', { ...shown, state: 'done' });
    if (toolKindOf(tool) === 'todo' && !cut) this.#emitTodos(tool.rawInput);
  }

  #close(tool: Tool, status: Closed, patch: EntryPatch): void {
    const output = tool.output === undefined ? {} : { output: tool.output };
    this.#scope.out.put({ kind: 'entry.closed', entry: tool.entry, status, patch: { ...output, ...patch } });
    // Large data is in the journal now.
    this.#remember({
      ...tool,
      closed: true,
      content: [],
      texts: [],
      rawOutput: undefined,
      output: undefined,
    });
  }

  #late(tool: Tool): void {
    if (tool.entry === '') return;
    const result = tool.content.length > 0 || tool.rawOutput !== undefined ? resultOf(tool) : undefined;
    const diff = diffOf(tool.texts);
    const patch: EntryPatch = {
      ...(result === undefined ? {} : { result }),
      ...(diff.length === 0 ? {} : { diff }),
    };
    if (Object.keys(patch).length > 0)
      this.#scope.out.put({ kind: 'entry.patched', entry: tool.entry, patch });
    this.#remember({ ...tool, content: [], texts: [], rawOutput: undefined, output: undefined });
  }

  #remember(tool: Tool): void {
    this.#tools.delete(tool.id);
    this.#tools.set(tool.id, tool);
    if (this.#tools.size <= REMEMBERED) return;
    for (const { id, closed } of this.#tools.values()) {
      if (!closed) continue;
      this.#tools.delete(id);
      return;
    }
  }

  #emitTodos(rawInput: unknown): void {
    const todos = listOf(recordOf(rawInput).todos);
    if (todos.length === 0) return;
    this.#options.todos(
      todos.map((todo, index) => ({
        id: textAt(todo, 'id') ?? String(index + 1),
        text: textAt(todo, 'content') ?? textAt(todo, 'description') ?? '',
        state: todoState(textAt(todo, 'status')),
      })),
    );
  }
}
