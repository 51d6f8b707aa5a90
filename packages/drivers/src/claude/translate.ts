// Translates the agent's messages into changes, live and in replay. Pure; each concern has its own module.
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { Usage } from '@tugdeck/protocol/conversation/session-info';
import { Emitter } from '../kit/emitter.ts';
import { numberAt, recordOf, textAt } from '../kit/fields.ts';
import type { Output } from '../kit/port.ts';
import { Blocks } from './blocks.ts';
import { Controls } from './controls.ts';
import { denials } from './denials.ts';
import { commandEntry, Events, retryProgress } from './events.ts';
import { InfoTracker } from './info-tracker.ts';
import {
  apiError,
  interruptMarker,
  isInterruptMarker,
  localCommand,
  NO_NOTES,
  type TurnNotes,
  turnEnd,
} from './line-texts.ts';
import { keptUuids, uuidsOf } from './line-uuids.ts';
import { RecentIds } from './recent-ids.ts';
import { type OpenRequest, Requests } from './requests.ts';
import { systemNotice } from './system-notices.ts';
import { Todos } from './todos.ts';
import { PLAN_TOOL } from './tool-display.ts';
import { errorText } from './tool-result.ts';
import { Tools } from './tools.ts';
import { Turns } from './turns.ts';
import { UsageCount } from './usage.ts';
import {
  type AssistantLine,
  blocksOf,
  plainText,
  type ResultLine,
  readMessage,
  type StreamEvent,
  type SystemLine,
  type UserLine,
} from './wire.ts';

export interface TranslatorOptions {
  /** Makes ids unique among runs of the same session. */
  readonly mark: string;
  /** Usage before this run. */
  readonly usage?: Usage | undefined;
  /** The agent's session existed before, so its earlier cost is inherited. */
  readonly inherits?: boolean | undefined;
}

export class Translator {
  readonly #out: Emitter;
  readonly #turns: Turns;
  readonly #tools: Tools;
  readonly #blocks: Blocks;
  readonly #requests: Requests;
  readonly #info: InfoTracker;
  readonly #usage: UsageCount;
  readonly #todos: Todos;
  readonly #controls: Controls;
  readonly #events: Events;
  readonly #seen = new RecentIds();
  /** Uuid of the last stream event, to skip repetitions. */
  #streamed: string | undefined;
  #notes: TurnNotes = { ...NO_NOTES };
  /** Delay of the last retry in this turn. */
  #retryMs: number | undefined;
  /** After a compaction, the agent repeats what it kept: lines with these uuids, and synthetic ones. */
  #kept: ReadonlySet<string> | undefined;
  /** Partial messages are off, so the start of a model request is not reported. */
  #isWhole = false;

  constructor({ mark, usage, inherits }: TranslatorOptions) {
    this.#out = new Emitter(mark);
    this.#turns = new Turns(this.#out);
    this.#tools = new Tools(this.#out);
    this.#blocks = new Blocks(this.#out, this.#tools);
    this.#requests = new Requests(this.#out, this.#tools);
    this.#info = new InfoTracker(this.#out);
    this.#usage = new UsageCount(this.#out, usage, inherits);
    this.#todos = new Todos(this.#out);
    this.#controls = new Controls(this.#out, this.#info, this.#usage);
    this.#events = new Events(this.#out, this.#info);
  }

  /** Before a prompt is written. */
  prompt(id: string, text: string): Output[] {
    this.#info.suggestion('');
    this.#turns.send(id, text);
    return this.#out.take();
  }

  /** Before one of our control requests is written. */
  control(id: string, request: Readonly<Record<string, unknown>>): Output[] {
    if (request.subtype === 'interrupt' && this.#turns.running) this.#notes.interrupted = true;
    this.#controls.sent(id, request);
    return this.#out.take();
  }

  /** A warning about the agent itself. */
  warn(text: string): Output[] {
    this.#out.notice('info', 'warning', text);
    return this.#out.take();
  }

  /** A control that this version of the agent does not support. */
  unsupported(what: string): Output[] {
    this.#info.withoutControl(what);
    return this.#out.take();
  }

  request(id: string): OpenRequest | undefined {
    return this.#requests.find(id);
  }

  /** A request was answered: its tool continues or is denied. */
  answered(id: string, answer: Answer): Output[] {
    const request = this.#requests.answered(id);
    if (request?.tool !== undefined && answer.type === 'permission') {
      const { behavior, message: why, input } = answer;
      this.#tools.answered(request.tool, { allowed: behavior === 'allow', why, input });
    }
    return this.#out.take();
  }

  /** A parsed line of stdout. */
  message(value: unknown): Output[] {
    const message = readMessage(value);
    switch (message.type) {
      case 'stream_event':
        this.#stream(message);
        break;
      case 'assistant':
        if (this.#isNew(message.uuid)) this.#assistant(message);
        break;
      case 'user':
        if (this.#isNew(message.uuid)) this.#user(message);
        break;
      case 'result':
        this.#result(message);
        break;
      case 'system':
        this.#system(message);
        break;
      case 'control_request':
        this.#requests.receive(message);
        break;
      case 'control_response':
        this.#controls.answered(message);
        break;
      case 'control_cancel_request':
        this.#requests.withdrawn(message.request_id);
        break;
      case 'command_lifecycle':
        this.#turns.lifecycle(message.command_uuid, message.state);
        break;
      case 'conversation_reset':
        this.#info.session(message.new_conversation_id);
        this.#todos.clear();
        this.#out.notice('fresh', 'info', 'Cleared: the agent knows nothing of the above.', {
          id: message.uuid,
        });
        break;
      case 'tool_progress': {
        // A heartbeat names the tool as its parent.
        const tool = message.parent_tool_use_id ?? message.tool_use_id;
        if (message.subagent_retry) this.#tools.progressed(tool, retryProgress(message.subagent_retry));
        break;
      }
      case 'rate_limit_event':
      case 'prompt_suggestion':
      case 'auth_status':
        this.#events.event(message);
        break;
      case 'unrecognized':
        this.#out.drift(message.what, value);
        break;
      case 'silent':
        break;
    }
    return this.#out.take();
  }

  /** A line that could not be parsed. */
  unreadable(what: string, line: string): Output[] {
    this.#out.drift(what, line);
    return this.#out.take();
  }

  #isNew(uuid: string | undefined): boolean {
    return uuid === undefined || this.#seen.add(uuid);
  }

  #isRepeated({ uuid, message, parent_tool_use_id }: AssistantLine): boolean {
    if (!this.#kept || parent_tool_use_id != null) return false;
    // Older versions do not report what they kept: then everything until the next request is repeated.
    return (
      (this.#kept.size === 0 && !this.#isWhole) ||
      message.model === '<synthetic>' ||
      (uuid !== undefined && this.#kept.has(uuid))
    );
  }

  #stream(line: StreamEvent): void {
    if (line.uuid !== undefined && line.uuid === this.#streamed) return;
    this.#streamed = line.uuid;
    this.#kept = undefined;
    this.#notes.hasOutput = true;
    this.#turns.delivered(uuidsOf(line));
    this.#turns.working();
    const { message, usage } = line.event;
    this.#usage.request(message?.usage ?? usage, message?.model);
    this.#blocks.stream(line);
  }

  #assistant(line: AssistantLine): void {
    this.#turns.delivered(uuidsOf(line));
    this.#notes.hasOutput = true;
    if (this.#isRepeated(line)) return;
    this.#isWhole ||= this.#streamed === undefined && line.message.model !== '<synthetic>';
    this.#turns.working();
    const text = plainText(line.message.content);
    if (line.is_api_error_message || line.error !== undefined) {
      const parent = line.parent_tool_use_id ?? undefined;
      // A subagent's error does not determine how the turn ends.
      if (parent === undefined) this.#notes.explained = true;
      this.#out.notice('error', 'error', text, {
        id: line.uuid,
        detail: apiError(line, this.#retryMs),
        parent,
      });
      return;
    }
    if (line.local_command_source !== undefined || line.local_command_run) {
      const command = localCommand(line, text);
      this.#out.open(commandEntry(`${line.message.id}:0`, command.name, command.text));
      return;
    }
    this.#blocks.whole(line);
  }

  #user(line: UserLine): void {
    const blocks = blocksOf(line.message.content);
    const results = blocks.filter((block) => block.type === 'tool_result');
    if (results.length > 0) {
      for (const block of results) this.#toolResult(line, block);
      return;
    }
    // A subagent's prompt is its tool's input (M13).
    if (line.parent_tool_use_id != null) return;
    const text = plainText(line.message.content);
    const output = /^<local-command-(stdout|stderr)>([\s\S]*?)<\/local-command-\1>$/.exec(text.trim());
    if (output) {
      this.#localOutput(line, output[2]?.trim() ?? '');
    } else if (line.isSynthetic) {
      this.#out.notice('injected', 'info', 'The agent added a message of its own.', {
        id: line.uuid,
        detail: text,
      });
    } else if (line.isReplay) {
      this.#turns.acknowledged(line.uuid, text);
    } else if (isInterruptMarker(text)) {
      this.#notes.interrupted = true;
      this.#out.notice('interrupted', 'info', interruptMarker(text), { id: line.uuid });
    } else {
      this.#out.notice('injected', 'info', 'The agent added a message of its own.', {
        id: line.uuid,
        detail: text,
      });
    }
  }

  #localOutput(line: UserLine, text: string): void {
    this.#notes.hasOutput = true;
    const model = /^Set model to `?(.+?)`?$/.exec(text)?.[1];
    if (model !== undefined) {
      this.#info.modelChangeAnnounced();
      this.#out.notice('model', 'info', `Model: ${model}`, { id: line.uuid });
    } else if (text !== '' && !text.startsWith('Compacted')) {
      this.#out.open(commandEntry(line.uuid ?? this.#out.id('command'), 'command', text));
    }
  }

  #toolResult(line: UserLine, block: ReturnType<typeof blocksOf>[number]): void {
    const done = this.#tools.result(line, block, this.#notes.interrupted);
    if (!done) return;
    if (block.is_error !== true) this.#todos.toolDone(done.name, done.input, line.tool_use_result);
    const hidden = block.is_error === true;
    if (!hidden || this.#requests.wasAsked(done.id)) return;
    // Denied before the user was asked: the request is still shown, with the reason.
    const parent = line.parent_tool_use_id ?? undefined;
    if (done.name === PLAN_TOOL) this.#requests.plan(done.id, done.input, parent);
    else this.#requests.question(done.id, done.input, parent);
    this.#out.put({ kind: 'request.settled', entry: done.id, status: 'withdrawn' });
    this.#out.notice('error', 'warning', errorText(block.content), { id: line.uuid, parent });
  }

  #system(line: SystemLine): void {
    this.#turns.delivered(uuidsOf(line));
    switch (line.subtype) {
      case 'init':
        this.#turns.began(uuidsOf(line));
        this.#info.turnStarted(line);
        return;
      case 'status':
        this.#status(line);
        return;
      case 'api_retry': {
        const { text, note, detail } = systemNotice(line);
        this.#retryMs = numberAt(line, 'retry_delay_ms');
        this.#turns.phase('retrying', note ?? text, numberAt(line, 'retry_delay_ms'));
        this.#out.notice('retry', detail === undefined ? 'warning' : 'error', text, {
          id: line.uuid,
          detail,
        });
        return;
      }
      case 'informational':
        if (this.#blocked(line)) return;
        this.#notes.hasOutput = true;
        this.#events.system(line);
        return;
      case 'compact_boundary':
        this.#kept = keptUuids(line);
        this.#out.notice('compaction', 'info', systemNotice(line).text, { id: line.uuid });
        return;
      case 'permission_denied':
        this.#tools.refused(line);
        return;
      case 'session_title_changed':
        this.#info.title(textAt(line, 'title') ?? '');
        return;
      case 'elicitation_complete':
        this.#requests.elicited(textAt(line, 'elicitation_id') ?? '');
        return;
      case 'task_started':
      case 'task_progress':
      case 'task_updated':
      case 'task_notification':
        this.#tools.task(line);
        return;
      default:
        this.#notes.hasOutput = true;
        if (line.subtype === 'model_refusal_no_fallback') this.#notes.refused = true;
        this.#events.system(line);
    }
  }

  /** A hook blocked the prompt before the model received it. */
  #blocked(line: SystemLine): boolean {
    const outcome = recordOf(line.prompt_submit_outcome);
    if (outcome.kind !== 'blocked_by_hook') return false;
    this.#notes.hasOutput = true;
    const reason = textAt(outcome, 'reason')?.trim();
    return this.#turns.refused(reason ? `A hook blocked it: ${reason}` : 'A hook blocked it.');
  }

  #status(line: SystemLine): void {
    const mode = textAt(line, 'permissionMode');
    if (mode !== undefined) this.#info.mode(mode);
    if (line.status === 'compacting') this.#turns.phase('compacting', 'Compacting the conversation');
    else if (line.status === 'requesting') {
      this.#kept = undefined;
      this.#turns.working();
    } else if (line.compact_result !== undefined) this.#turns.working();
    const failed = textAt(line, 'compact_error');
    if (failed !== undefined && this.#notes.interrupted) this.#notes.compactionStopped = true;
    else if (failed !== undefined) {
      this.#out.notice('compaction', 'warning', `The conversation could not be summed up (${failed}).`, {
        id: line.uuid,
      });
    }
  }

  #result(line: ResultLine): void {
    if (!this.#isNew(line.uuid)) return;
    // The result repeats the answer; if nothing was sent before, this is the only copy.
    if (!this.#notes.hasOutput && !line.is_error && line.result?.trim()) {
      const id = line.uuid ?? this.#out.id('text');
      this.#out.open({ id, kind: 'text', status: 'complete', text: line.result });
    }
    const { endedBy, why, notice } = turnEnd(line, this.#notes);
    this.#blocks.abandonAll();
    this.#requests.withdrawForeground();
    this.#tools.settle(endedBy === 'cancelled' || endedBy === 'limit' ? 'interrupted' : 'stale');
    if (notice !== undefined) {
      this.#out.notice('error', endedBy === 'error' ? 'error' : 'warning', notice, { id: line.uuid });
    }
    this.#usage.result(line);
    this.#info.modelLimits(line.modelUsage);
    const denied = denials(line.permission_denials);
    this.#turns.ended(endedBy, uuidsOf(line), { why, own: line.origin !== undefined, denied });
    this.#notes = { ...NO_NOTES };
    this.#retryMs = undefined;
    this.#kept = undefined;
  }
}
