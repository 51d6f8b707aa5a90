/**
 * A self-contained part of a rollout (A40). The file is linear, without branches. Cut at a user message, or where the
 * model starts again with nothing open.
 */

import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { NewEntry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { entryById } from '@tugdeck/protocol/conversation/state';
import { type Fields, numberAt, numberOf, recordOf, textAt, textOf } from '../kit/fields.ts';
import { type HistoryPart, PartFold, type PartOptions, type PlacedLine } from '../kit/history.ts';
import {
  isOutput,
  outputOf,
  parseLine,
  promptOf,
  type RolloutLine,
  spawnIn,
  toolCallOf,
  wordsOf,
} from './history-lines.ts';
import { diffOf, displayOf, kindOf, titleOf, todosOf } from './history-tools.ts';

export function readPart(lines: readonly PlacedLine[], options: PartOptions): HistoryPart | undefined {
  const all = lines.map(({ text, at }) => ({ line: parseLine(text), at }));
  const from = options.isWhole ? 0 : cutOf(all.map(({ line }) => line));
  if (from === undefined) return undefined;
  const start = all[from]?.at ?? 0;
  return new Part(
    all.slice(from).flatMap(({ line }) => line ?? []),
    options.isWhole ? 0 : start,
    options,
  );
}

function cutOf(lines: readonly (RolloutLine | undefined)[]): number | undefined {
  const prompt = lines.findIndex((line) => line && promptOf(line) !== undefined);
  if (prompt >= 0) return prompt;
  const message = lines.findIndex((line) => line && isAnswer(line));
  return message > 0 ? message : undefined;
}

function isAnswer({ type, payload }: RolloutLine): boolean {
  return type === 'response_item' && payload.type === 'message' && payload.role === 'assistant';
}

/** Whether the last turn of a subagent was completed. */
function isComplete(lines: readonly RolloutLine[]): boolean {
  const last = lines.findLast(({ type, payload }) => type === 'event_msg' && TURN_MARKS.has(payload.type));
  return last !== undefined && COMPLETED.has(last.payload.type);
}

const COMPLETED: ReadonlySet<unknown> = new Set(['task_complete', 'turn_complete']);
const TURN_MARKS: ReadonlySet<unknown> = new Set([...COMPLETED, 'task_started', 'turn_aborted']);
const UNREADABLE =
  "Tugdeck can't read the session file of this subagent, so anything else it did isn't known here.";
const agentResult = (text: string) => ({ type: 'agent' as const, text });

class Part implements HistoryPart {
  readonly start: number;
  readonly before: string | undefined;
  readonly #fold: PartFold;
  /** Unfinished tools, by call id. */
  readonly #open = new Set<string>();
  readonly #options: PartOptions;
  /** The thread, if it is a subagent's: its entries have the same ids as live ones. */
  readonly #thread: string | undefined;
  /** Calls whose subagents were read: they decide how the call ended. */
  readonly #spawns = new Set<string>();
  #prefix = '';
  #turn: string | undefined;

  constructor(lines: readonly RolloutLine[], start: number, options: PartOptions, thread?: string) {
    this.#options = options;
    this.#thread = thread;
    this.start = start;
    this.before = options.isWhole ? undefined : 'before';
    this.#fold = new PartFold(options);
    for (const line of lines) this.#take(line);
    this.#fold.fresh();
  }

  get conversation() {
    return this.#fold.state;
  }

  get isIdle(): boolean {
    return this.#turn === undefined;
  }

  take(text: string) {
    const line = parseLine(text);
    if (line) this.#take(line);
    return this.#fold.fresh();
  }

  settle() {
    this.#endTurn('completed', 'stale');
    return this.#fold.fresh();
  }

  #take(line: RolloutLine): void {
    if (line.at !== undefined) this.#fold.at = line.at;
    const { type, payload } = line;
    if (this.#thread !== undefined) this.#enterTurn(this.#thread, line);
    // A subagent's file may begin with a copy of its parent's conversation.
    if (this.#thread !== undefined && this.#prefix === '') return;
    if (type === 'response_item') this.#item(line);
    else if (type === 'event_msg') {
      this.#event(payload);
      this.#spawned(line);
    } else if (type === 'compacted') this.#notice('compaction', 'The conversation was summed up.');
    else if (type === 'turn_context' && typeof payload.model === 'string') {
      if (this.#fold.state.facts.model !== payload.model) {
        this.#put({ kind: 'session.described', facts: { model: payload.model } });
      }
    }
  }

  /** Ids contain their time: turns that are older than the thread are copies. */
  #enterTurn(thread: string, { type, payload }: RolloutLine): void {
    const turn = type === 'response_item' ? undefined : textAt(payload, 'turn_id');
    if (turn !== undefined) this.#prefix = turn > thread ? `${turn}/` : '';
  }

  /** Adds the entries of a call's subagents below it. */
  #spawned(line: RolloutLine): void {
    const spawn = this.#options.subagent && spawnIn(line);
    const call = `${this.#prefix}${spawn?.call}`;
    if (!spawn || !this.#open.has(call) || this.#spawns.has(call)) return;
    this.#spawns.add(call);
    for (const thread of spawn.threads) this.#subagent(call, thread);
  }

  #subagent(call: string, thread: string): void {
    const { subagent } = this.#options;
    const { at } = this.#fold;
    const texts = subagent?.(thread);
    if (!texts) {
      this.#notice('error', UNREADABLE, call);
      return;
    }
    const lines = texts.flatMap(({ text }) => parseLine(text) ?? []);
    const inner = (id: string) => (id === thread ? undefined : subagent?.(id));
    const part = new Part(lines, 0, { ...this.#options, seq: 0, facts: {}, subagent: inner }, thread);
    part.settle();
    let reply = '';
    for (const entry of entriesFrom(part.conversation.entries)) {
      // The prompt is the input of the call.
      if (entry.kind === 'user') continue;
      const { seq: _seq, rev: _rev, at: openedAt, endedAt: _endedAt, turn: _turn, ...rest } = entry;
      this.#fold.at = openedAt;
      this.#show({ ...rest, parent: entry.parent ?? call } as NewEntry);
      if (entry.kind === 'text' && entry.parent === undefined) reply = entry.text;
    }
    this.#fold.at = at;
    if (!isComplete(lines)) return;
    this.#open.delete(call);
    const patch = { state: 'done' as const, ...(reply === '' ? {} : { result: agentResult(reply) }) };
    this.#put({ kind: 'entry.closed', entry: call, status: 'complete', patch });
  }

  #item(line: RolloutLine): void {
    const { payload } = line;
    const id = `${this.#prefix}${line.id}`;
    const prompt = promptOf(line);
    const call = toolCallOf(line);
    if (prompt !== undefined) this.#prompt(id, prompt);
    else if (isAnswer(line)) {
      const text = wordsOf(payload.content);
      if (text !== '') this.#show({ id, kind: 'text', status: 'complete', text });
    } else if (payload.type === 'reasoning') {
      const text = wordsOf(payload.summary) || wordsOf(payload.content);
      if (text !== '') this.#show({ id, kind: 'thinking', status: 'complete', text });
    } else if (call) {
      const todos = todosOf(call.input);
      if (todos) this.#put({ kind: 'todos.replaced', todos });
      this.#open.add(id);
      this.#show({
        id,
        kind: 'tool',
        status: 'partial',
        name: call.name,
        title: titleOf(call),
        toolKind: kindOf(call),
        state: 'running',
        input: call.input,
        fields: displayOf(call),
      });
      // A provider-side search has no output.
      if (payload.type === 'web_search_call') this.#close(id, {});
    } else if (isOutput(line)) this.#close(id, payload);
  }

  #event(payload: Fields): void {
    const item = recordOf(payload.item);
    switch (payload.type === 'item_completed' ? item.type : payload.type) {
      case 'task_complete':
      case 'turn_complete':
        this.#endTurn('completed', 'stale');
        return;
      case 'turn_aborted':
        this.#endTurn('cancelled', 'interrupted');
        return;
      case 'CommandExecution':
        this.#ran(`${this.#prefix}${textAt(item, 'id')}`, item);
        return;
      case 'exec_command_end':
        this.#ran(`${this.#prefix}${textAt(payload, 'call_id')}`, payload);
        return;
      case 'FileChange':
        this.#edited(`${this.#prefix}${textAt(item, 'id')}`, item.changes);
        return;
      case 'patch_apply_end':
        this.#edited(`${this.#prefix}${textAt(payload, 'call_id')}`, payload.changes);
        return;
      case 'token_count':
        this.#used(recordOf(payload.info));
        return;
      case 'error':
      case 'stream_error':
        this.#notice('error', textAt(payload, 'message') ?? 'The agent failed.');
        return;
    }
  }

  #prompt(id: string, text: string): void {
    this.#endTurn('completed', 'stale');
    this.#turn = `turn-${id}`;
    this.#put({ kind: 'prompt.accepted', prompt: { id, text } });
    this.#put({ kind: 'turn.started', turn: this.#turn, origin: 'user', prompts: [id] });
    this.#put({ kind: 'prompt.progressed', prompt: id, delivery: 'delivered' });
  }

  #ran(id: string, { aggregated_output, stdout, stderr, exit_code }: Fields): void {
    if (!this.#open.has(id)) return;
    const out = textOf(aggregated_output) ?? textOf(stdout) ?? '';
    const exitCode = numberOf(exit_code);
    this.#put({
      kind: 'entry.patched',
      entry: id,
      patch: {
        result: {
          type: 'terminal',
          stdout: out,
          stderr: aggregated_output === undefined ? (textOf(stderr) ?? '') : '',
          ...(exitCode === undefined ? {} : { exitCode }),
        },
      },
    });
  }

  #edited(id: string, changes: unknown): void {
    if (!this.#open.has(id)) return;
    this.#put({ kind: 'entry.patched', entry: id, patch: { diff: diffOf(changes) } });
  }

  #close(id: string, payload: Fields): void {
    if (this.#spawns.has(id) || !this.#open.delete(id)) return;
    const { text, exitCode } = outputOf(payload);
    const known = this.#fold.state;
    const entry = entryById(known, id);
    const isShell = entry?.kind === 'tool' && entry.toolKind === 'shell';
    const hasResult = entry?.kind === 'tool' && (entry.result !== undefined || entry.diff !== undefined);
    const failed = exitCode !== undefined && exitCode !== 0;
    const result = isShell
      ? {
          type: 'terminal' as const,
          stdout: text,
          stderr: '',
          ...(exitCode === undefined ? {} : { exitCode }),
        }
      : { type: 'text' as const, text };
    const state = /^aborted by user$/m.test(text) ? 'denied' : failed ? 'failed' : 'done';
    this.#put({
      kind: 'entry.closed',
      entry: id,
      status: failed ? 'failed' : 'complete',
      patch: { state, ...(hasResult || text === '' ? {} : { result }) },
    });
  }

  #used({ total_token_usage, last_token_usage, model_context_window }: Fields): void {
    const total = recordOf(total_token_usage);
    const cached = numberAt(total, 'cached_input_tokens') ?? 0;
    const contextUsed = numberAt(last_token_usage, 'total_tokens');
    const contextWindow = numberOf(model_context_window);
    this.#put({
      kind: 'usage.updated',
      usage: {
        inputTokens: Math.max(0, (numberAt(total, 'input_tokens') ?? 0) - cached),
        outputTokens: numberAt(total, 'output_tokens') ?? 0,
        cacheReadTokens: cached,
        cacheWriteTokens: numberAt(total, 'cache_write_input_tokens') ?? 0,
        ...(contextUsed === undefined ? {} : { contextUsed }),
        ...(contextWindow === undefined ? {} : { contextWindow }),
      },
    });
  }

  #endTurn(endedBy: 'completed' | 'cancelled', state: 'stale' | 'interrupted'): void {
    for (const id of this.#open) {
      const status = state === 'stale' ? 'stale' : 'cancelled';
      this.#put({ kind: 'entry.closed', entry: id, status, patch: { state } });
    }
    this.#open.clear();
    if (this.#turn !== undefined) this.#put({ kind: 'turn.ended', turn: this.#turn, endedBy });
    this.#turn = undefined;
  }

  #notice(notice: 'compaction' | 'error', text: string, parent?: string): void {
    const id = `${this.#prefix}notice-${this.#fold.at}-${this.#fold.state.nextSeq}`;
    const level = notice === 'error' ? 'error' : 'info';
    const more = parent === undefined ? {} : { parent };
    this.#show({ id, kind: 'notice', status: 'complete', notice, level, text, ...more });
  }

  #show(entry: NewEntry): void {
    const turn = this.#turn;
    this.#put({ kind: 'entry.opened', entry: turn === undefined ? entry : { ...entry, turn } });
  }

  #put(body: ChangeBody): void {
    this.#fold.change(body);
  }
}
