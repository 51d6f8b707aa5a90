/**
 * Tool calls, one entry each (M13). The agent sends patches in any order and from any side: an update or a
 * permission request may be the first mention. Calls that are questions or plans of their own are held back
 * until it is clear that a request stands for them.
 */
import type { EntryPatch, EntryStatus, ToolState } from '@tugdeck/protocol/conversation/entries';
import type { Todo } from '@tugdeck/protocol/conversation/session-facts';
import { stableText } from '@tugdeck/protocol/ids';
import type { Scope } from './scope.ts';
import {
  diffOf,
  errorOf,
  fieldsOf,
  resultOf,
  type Texts,
  type ToolFacts,
  textsOf,
  toolKindOf,
} from './tool-display.ts';
import { listOf, numberAt, recordOf, type ToolPatch, textAt } from './wire.ts';

type Closed = Exclude<EntryStatus, 'partial'>;

export interface Tool extends ToolFacts {
  readonly id: string;
  readonly entry: string;
  readonly status: string;
  readonly texts: readonly Texts[];
  readonly terminals: readonly string[];
  /** Open requests about it. */
  readonly asked: number;
  readonly denied: boolean;
  /** A question or a plan: a request of its own kind is shown in its place. */
  readonly held: boolean;
  readonly turn: string | undefined;
  readonly shown: Readonly<Record<string, string>>;
  readonly closed: boolean;
}

const HELD_NAMES = new Set(['AskUserQuestion', 'request_user_input', 'ask_user', 'question']);
/** Late changes are legal at any time, but not for ever. */
const REMEMBERED = 1000;

export interface ToolsOptions {
  readonly scope: Scope;
  /** A tool appears: text before it is whole. */
  readonly opening: () => void;
  readonly todos: (todos: readonly Todo[]) => void;
  /** The user asked for the end of the turn. */
  readonly cancelling: () => boolean;
}

export class Tools {
  readonly #options: ToolsOptions;
  readonly #scope: Scope;
  readonly #tools = new Map<string, Tool>();
  /** Those that a request of its own kind stands for. */
  readonly #replaced = new Set<string>();

  constructor(options: ToolsOptions) {
    this.#options = options;
    this.#scope = options.scope;
  }

  find(id: string): Tool | undefined {
    return this.#tools.get(id);
  }

  /** `tool_call` and `tool_call_update` alike; `meta` may come beside the update too. */
  patch(patch: ToolPatch, isNew: boolean, meta: unknown): void {
    let tool = this.#tools.get(patch.toolCallId);
    // The same id in another turn is another call: some agents count anew.
    if (tool?.closed && isNew && tool.turn !== this.#scope.turn) tool = undefined;
    tool = this.#merge(tool ?? this.#fresh(patch.toolCallId), patch);
    tool = this.#terminal(tool, { ...recordOf(meta), ...recordOf(patch._meta) });
    this.#show(tool);
  }

  /** A request is about this tool: it opens the tool where nothing has (M13), and fills in what is missing. */
  ask(patch: ToolPatch): Tool {
    const known = this.#tools.get(patch.toolCallId);
    const usable = known && !known.closed ? known : undefined;
    const merged = usable
      ? { ...usable, texts: usable.texts.length > 0 ? usable.texts : textsOf(patch.content ?? []) }
      : this.#merge(this.#fresh(patch.toolCallId), { ...patch, status: 'pending' });
    const filled: Tool = {
      ...merged,
      rawInput: isEmpty(merged.rawInput) ? patch.rawInput : merged.rawInput,
      kind: merged.kind ?? patch.kind ?? undefined,
      asked: merged.asked + 1,
    };
    this.#show(filled);
    return this.#tools.get(patch.toolCallId) ?? filled;
  }

  answered(id: string, allowed: boolean | undefined): void {
    const tool = this.#tools.get(id);
    if (!tool || tool.closed) return;
    const asked = Math.max(0, tool.asked - 1);
    const status = allowed && tool.status === 'pending' ? 'in_progress' : tool.status;
    this.#show({ ...tool, asked, status, denied: tool.denied || allowed === false });
  }

  /** Output of a terminal that we run for the agent. */
  output(terminal: string, data: string): void {
    const tool = [...this.#tools.values()].find(({ terminals }) => terminals.includes(terminal));
    if (tool && !tool.closed) this.#append(tool, data);
  }

  /** The turn is over, or a stored session is told: what the agent left open is closed by us. */
  settle(state: 'interrupted' | 'stale'): void {
    for (const tool of [...this.#tools.values()]) {
      if (tool.closed) continue;
      if (tool.held && this.#replaced.has(tool.id)) this.#remember({ ...tool, closed: true });
      else if (tool.held) this.#close(this.#open({ ...tool, held: false }), 'cancelled', { state });
      else if (tool.denied) this.#close(tool, 'failed', { state: 'denied', denied: { by: 'user' } });
      else this.#close(tool, state === 'interrupted' ? 'cancelled' : 'stale', { state });
    }
  }

  #fresh(id: string): Tool {
    return {
      id,
      entry: '',
      name: undefined,
      title: '',
      kind: undefined,
      status: 'pending',
      content: [],
      locations: [],
      rawInput: undefined,
      rawOutput: undefined,
      output: undefined,
      exitCode: undefined,
      texts: [],
      terminals: [],
      asked: 0,
      denied: false,
      held: false,
      turn: this.#scope.turn,
      shown: {},
      closed: false,
    };
  }

  #merge(tool: Tool, patch: ToolPatch): Tool {
    const content = patch.content ?? tool.content;
    const name = patch.name ?? tool.name;
    const terminals = content.flatMap(({ type, terminalId }) =>
      type === 'terminal' && terminalId ? [terminalId] : [],
    );
    return {
      ...tool,
      name,
      content,
      terminals: terminals.length > 0 ? terminals : tool.terminals,
      texts: patch.content ? textsOf(patch.content, tool.texts) : tool.texts,
      title: patch.title || tool.title,
      kind: patch.kind ?? tool.kind,
      status: patch.status ?? tool.status,
      locations: patch.locations ?? tool.locations,
      rawInput: patch.rawInput === undefined ? tool.rawInput : patch.rawInput,
      rawOutput: patch.rawOutput === undefined ? tool.rawOutput : patch.rawOutput,
    };
  }

  /** Terminals that the agent only shows (`_meta`): nobody created them, their output comes with the updates. */
  #terminal(tool: Tool, meta: Readonly<Record<string, unknown>>): Tool {
    const exit = recordOf(meta.terminal_exit);
    const exitCode = numberAt(exit, 'exit_code') ?? tool.exitCode;
    const whole = textAt(meta.terminal_output, 'data');
    const delta = textAt(meta.terminal_output_delta, 'data');
    const withExit = { ...tool, exitCode };
    if (whole === undefined && delta === undefined) return withExit;
    // `terminal_output` may say all over again what was said so far.
    const known = tool.output ?? '';
    const fresh = whole !== undefined && known !== '' && whole.startsWith(known);
    const data = fresh ? (whole ?? '').slice(known.length) : (whole ?? '') + (delta ?? '');
    return tool.closed || tool.held ? { ...withExit, output: known + data } : this.#append(withExit, data);
  }

  #append(tool: Tool, data: string): Tool {
    const opened = tool.entry === '' ? this.#open(tool) : tool;
    const at = (opened.output ?? '').length;
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
      // Over without anybody having been asked: then it was a tool like any other.
      if (!isOver(tool.status) || tool.asked > 0) {
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

  /** A request of its own kind stands for this tool. */
  replaced(id: string): void {
    this.#replaced.add(id);
  }

  /** The same, where the request may be the first mention of it. */
  hold(patch: ToolPatch): void {
    this.replaced(patch.toolCallId);
    const known = this.#tools.get(patch.toolCallId);
    if (!known) this.#remember({ ...this.#merge(this.#fresh(patch.toolCallId), patch), held: true });
  }

  #open(tool: Tool): Tool {
    this.#options.opening();
    const entry = this.#scope.out.id('tool');
    const view = viewOf(tool);
    this.#scope.open({ id: entry, kind: 'tool', status: 'partial', name: nameOf(tool), ...view });
    const opened = { ...tool, entry, shown: texts(view) };
    this.#remember(opened);
    return opened;
  }

  #patched(tool: Tool): Tool {
    const view = viewOf(tool);
    const now = texts(view);
    const changed = Object.keys(now).filter((key) => now[key] !== tool.shown[key]);
    if (changed.length === 0) return tool;
    const patch = Object.fromEntries(changed.map((key) => [key, view[key as keyof typeof view]]));
    this.#scope.out.put({ kind: 'entry.patched', entry: tool.entry, patch: patch as EntryPatch });
    return { ...tool, shown: now };
  }

  #finish(tool: Tool): void {
    const told = resultOf(tool);
    // A diff says more than what an edit gave back as data.
    const result = told?.type === 'json' && tool.texts.length > 0 ? undefined : told;
    // What a failed call says is its error; only a command has output besides.
    const isShown = tool.status !== 'failed' || tool.output !== undefined || hasExit(result);
    const shown: EntryPatch = result === undefined || !isShown ? {} : { result };
    if (tool.status === 'failed') {
      const error = errorOf(tool);
      if (tool.denied) this.#close(tool, 'failed', { state: 'denied', denied: { by: 'user' }, error });
      else if (this.#options.cancelling()) this.#close(tool, 'cancelled', { ...shown, state: 'interrupted' });
      else this.#close(tool, 'failed', { ...shown, state: 'failed', error });
      return;
    }
    // Agents call a command that was cancelled "completed"; one that really ended has an exit code.
    const cut = this.#options.cancelling() && toolKindOf(tool) === 'shell' && !hasExit(result);
    if (cut) this.#close(tool, 'cancelled', { ...shown, state: 'interrupted' });
    else this.#close(tool, 'complete', { ...shown, state: 'done' });
    if (toolKindOf(tool) === 'todo' && !cut) this.#tellTodos(tool.rawInput);
  }

  #close(tool: Tool, status: Closed, patch: EntryPatch): void {
    const output = tool.output === undefined ? {} : { output: tool.output };
    this.#scope.out.put({ kind: 'entry.closed', entry: tool.entry, status, patch: { ...output, ...patch } });
    // What is heavy is in the journal now.
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
    const oldest = [...this.#tools.values()].find(({ closed }) => closed);
    if (oldest) this.#tools.delete(oldest.id);
  }

  #tellTodos(rawInput: unknown): void {
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

export function todoState(status: string | null | undefined): Todo['state'] {
  if (status === 'completed') return 'done';
  return status === 'in_progress' ? 'active' : 'pending';
}

function isHeld({ name, kind }: Tool): boolean {
  return kind === 'switch_mode' || HELD_NAMES.has(name ?? '');
}

function isOver(status: string): boolean {
  return status === 'completed' || status === 'failed';
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || stableText(value) === '{}';
}

function hasExit(result: ReturnType<typeof resultOf>): boolean {
  return result?.type === 'terminal' && result.exitCode !== undefined;
}

function nameOf({ name, title, kind }: Tool): string {
  return name ?? kind ?? title;
}

function stateOf({ asked, denied, status }: Tool): ToolState {
  if (asked > 0) return 'waiting';
  if (denied) return 'denied';
  return status === 'pending' ? 'preparing' : 'running';
}

function viewOf(tool: Tool) {
  const diff = diffOf(tool.texts);
  return {
    title: tool.title || tool.name || tool.kind || 'Tool',
    toolKind: toolKindOf(tool),
    state: stateOf(tool),
    fields: fieldsOf(tool),
    ...(tool.rawInput === undefined || tool.rawInput === null ? {} : { input: tool.rawInput }),
    ...(diff.length === 0 ? {} : { diff }),
  };
}

/** To see what changed since it was last shown. */
function texts(view: object): Record<string, string> {
  return Object.fromEntries(Object.entries(view).map(([key, value]) => [key, stableText(value)]));
}
