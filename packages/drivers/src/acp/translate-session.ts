/**
 * Translates one session of the agent, the main one or a subagent's, into changes. Delegates texts, tools, requests,
 * turns, information and usage to their modules.
 */
import type { Todo } from '@tugdeck/protocol/conversation/session-info';
import type { Emitter } from '../kit/emitter.ts';
import { Scope } from '../kit/scope.ts';
import { blocksText, blockText } from './content.ts';
import { InfoTracker } from './info-tracker.ts';
import { Messages } from './messages.ts';
import { Requests } from './requests.ts';
import { Subagents } from './subagents.ts';
import { todoState } from './tool-record.ts';
import { Tools } from './tools.ts';
import { Turns } from './turns.ts';
import type { UsageCount } from './usage.ts';
import type { PlanItem, Update, UpdateOf } from './wire.ts';

export interface SessionOptions {
  readonly id: string;
  readonly out: Emitter;
  readonly usage: UsageCount;
  /** Whether a usage update follows each complete message. */
  readonly usageEndsMessages: () => boolean;
  /** Whether the agent keeps our ids of messages. */
  readonly knowsMessages: () => boolean;
  /** Modes known to allow everything. */
  readonly isDangerous: (mode: string) => boolean;
  /** Whether replayed history is shown; otherwise our own history is used. */
  readonly history: boolean;
  /** For a subagent: its entry, and the session it works for. */
  readonly child?: { readonly entry: string; readonly of: SessionTranslator } | undefined;
}

const MESSAGE_ID = /^[\w-]{1,100}$/;

/** Updates that prove work on a prompt; commands, titles and modes come at any time. */
const WORK_UPDATES: ReadonlySet<string> = new Set([
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
  'plan_update',
  'usage_update',
  'compaction_update',
  'subagent_update',
]);
/** Updates that are part of a replayed conversation. */
const HISTORY_UPDATES: ReadonlySet<string> = new Set([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
  'plan_update',
  'notice',
  'compaction_update',
  'compaction_summary_chunk',
  'subagent_update',
  'session_message',
  'session_message_chunk',
]);

export class SessionTranslator {
  readonly id: string;
  readonly scope: Scope;
  readonly turns: Turns;
  readonly tools: Tools;
  readonly requests: Requests;
  readonly info: InfoTracker;
  readonly subagents: Subagents;
  readonly #options: SessionOptions;
  readonly #messages: Messages;
  readonly #compactions = new Map<string, string>();
  #compacted: string | undefined;
  #loading = false;
  #hasReplayedHistory = false;
  #planText: string | undefined;
  #todoPlan: string | undefined;

  constructor(options: SessionOptions) {
    const { out, child } = options;
    this.#options = options;
    this.id = options.id;
    this.turns = child?.of.turns ?? new Turns(out);
    this.scope = new Scope({ out, parent: child?.entry, turn: () => this.turns.current });
    this.#messages = new Messages({
      scope: this.scope,
      streams: () => this.#loading || this.turns.current !== undefined,
      onUserMessage: (text, id) => this.#userSaid(text, id),
      reportsMessageEnds: options.usageEndsMessages,
    });
    this.tools = new Tools({
      scope: this.scope,
      opening: () => this.#messages.close(),
      todos: (todos) => this.#emitTodos(todos),
      cancelling: () => this.turns.cancelling,
    });
    this.requests = new Requests(this.scope, this.tools);
    this.info = new InfoTracker(this.scope, options.isDangerous);
    this.subagents = new Subagents(this.scope, () => this.#messages.close());
  }

  /** A load began: updates until its result are replayed history. */
  load(): void {
    this.#loading = true;
  }

  get hasReplayedHistory(): boolean {
    return this.#hasReplayedHistory;
  }

  loaded(): void {
    if (!this.#loading) return;
    this.#messages.close();
    this.tools.settle('interrupted');
    this.#loading = false;
  }

  update(update: Update, meta: unknown): void {
    if (this.#loading && HISTORY_UPDATES.has(update.sessionUpdate)) this.#hasReplayedHistory = true;
    const hidden = this.#loading && !this.#options.history && HISTORY_UPDATES.has(update.sessionUpdate);
    if (hidden) return;
    if (!this.#loading && WORK_UPDATES.has(update.sessionUpdate)) this.turns.onActivity();
    this.#take(update, meta);
  }

  /** A request to the user: the text before it is complete. */
  asks(): void {
    this.turns.onActivity();
    this.#messages.close();
  }

  /** The turn ended: closes everything. */
  settle(cancelled: boolean): void {
    this.#messages.close(cancelled ? 'cancelled' : 'complete');
    this.requests.withdrawAll();
    this.tools.settle(cancelled ? 'interrupted' : 'stale');
    this.subagents.settle(cancelled);
  }

  /** The turn ended, but this subagent is still running. */
  pause(): void {
    this.#messages.close();
  }

  paused(): void {
    this.#messages.paused();
  }

  /** Drops the last text if it only repeats this error. */
  retractError(why: string): string | undefined {
    return this.#messages.retractError(why);
  }

  get lastText(): string {
    return this.#messages.lastText;
  }

  #take(update: Update, meta: unknown): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        this.turns.phase('running');
        if (!this.#isModeReport(update))
          this.#messages.chunk('text', update.content, update.messageId ?? undefined);
        return;
      case 'agent_thought_chunk':
        this.turns.phase('running');
        this.#messages.chunk('thinking', update.content, update.messageId ?? undefined);
        return;
      case 'user_message_chunk':
        this.#messages.user(update.content, update.messageId ?? undefined);
        return;
      case 'tool_call':
      case 'tool_call_update':
        this.turns.phase('running');
        this.tools.patch(update, update.sessionUpdate === 'tool_call', meta);
        return;
      case 'plan':
        // If messages have no ids, this is the only boundary between two of them.
        this.#messages.close();
        this.#todos(update.entries, undefined);
        return;
      case 'plan_update':
        this.#plan(update);
        return;
      case 'plan_removed':
        if (this.#todoPlan === (update.planId ?? undefined)) this.#emitTodos([]);
        return;
      case 'available_commands_update':
        this.info.commands(update);
        return;
      case 'current_mode_update':
        this.info.changed('mode', update.currentModeId);
        return;
      case 'config_option_update':
        this.info.config(update);
        return;
      case 'session_info_update':
        this.info.title(update.title);
        return;
      case 'usage_update':
        this.#messages.messageEnded();
        // A subagent has its own context; the gauge shows the main one.
        if (!this.#options.child) this.#options.usage.update(update);
        return;
      case 'notice':
        this.#notice(update);
        return;
      case 'compaction_update':
        this.#compaction(update);
        return;
      case 'compaction_summary_chunk':
        this.#compactions.set(
          update.compactionId,
          (this.#compactions.get(update.compactionId) ?? '') + blockText(update.content),
        );
        return;
      case 'subagent_update':
        this.subagents.update(update);
        return;
      case 'session_message':
        this.#sessionMessage(update);
        return;
      case 'session_message_chunk':
        this.#messages.chunk('text', update.content, update.messageId ?? undefined);
        return;
      default:
        update satisfies never;
    }
  }

  /** One agent reports a new mode as a message outside of turns. */
  #isModeReport({ content }: UpdateOf<'agent_message_chunk'>): boolean {
    if (this.turns.current !== undefined || this.#loading) return false;
    const mode = /^\[MODE_UPDATE\] (\S+)$/.exec(content.text ?? '')?.[1];
    if (mode === undefined || !this.info.offers('mode', mode)) return false;
    this.info.changed('mode', mode);
    return true;
  }

  #userSaid(text: string, id: string | undefined): void {
    if (!this.#loading && this.turns.current !== undefined) {
      if (this.turns.isEcho(text)) this.turns.onActivity();
      else this.scope.notice('injected', 'info', 'The agent added a message of its own.', text);
      return;
    }
    // The agent forks before a message by the id that it was sent with.
    const isOurs = id !== undefined && this.#options.knowsMessages();
    this.scope.open({
      id: isOurs && MESSAGE_ID.test(id) ? id : this.scope.out.id('user'),
      kind: 'user',
      status: 'complete',
      text,
      delivery: 'delivered',
    });
  }

  #todos(items: readonly PlanItem[], plan: string | undefined): void {
    this.#todoPlan = plan;
    this.#emitTodos(
      items.map(({ content, status }, index) => ({
        id: String(index + 1),
        text: content,
        state: todoState(status),
      })),
    );
  }

  #emitTodos(todos: readonly Todo[]): void {
    this.scope.out.put({ kind: 'todos.replaced', todos: [...todos] });
  }

  #plan({ plan }: UpdateOf<'plan_update'>): void {
    if (plan.type === 'items') {
      this.#todos(plan.entries ?? [], plan.planId ?? undefined);
      return;
    }
    const text = plan.content ?? plan.uri ?? '';
    // Approved plans are sent again.
    if (text === '' || text === this.#planText || this.requests.wasShown(text)) return;
    this.#planText = text;
    this.#messages.close();
    this.scope.notice('info', 'info', plan.type === 'file' ? `Plan: ${text}` : 'Plan', text);
  }

  #notice({ severity, title, description }: UpdateOf<'notice'>): void {
    const level = severity === 'error' || severity === 'warning' ? severity : 'info';
    this.scope.notice(level === 'info' ? 'info' : 'error', level, title, description ?? undefined);
  }

  #compaction({ compactionId, status, summary, error }: UpdateOf<'compaction_update'>): void {
    if (status === 'in_progress') {
      if (!this.#compactions.has(compactionId)) this.#compactions.set(compactionId, '');
      this.turns.phase('compacting', 'Compacting the conversation');
      return;
    }
    this.turns.phase('running');
    // Some agents send it twice, the second time without the summary.
    if (this.#compacted === compactionId) return;
    this.#compacted = compactionId;
    const chunks = this.#compactions.get(compactionId) ?? '';
    this.#compactions.delete(compactionId);
    const text = summary ? blocksText(summary) : chunks;
    this.#messages.close();
    if (status === 'completed')
      this.scope.notice('compaction', 'info', 'The conversation was summed up.', text);
    else if (status === 'cancelled')
      this.scope.notice('compaction', 'info', 'Summing up the conversation was cancelled.');
    else this.scope.notice('compaction', 'warning', 'The conversation could not be summed up.', error ?? '');
  }

  #sessionMessage({ senderSessionId, recipientSessionId, content }: UpdateOf<'session_message'>): void {
    const text = blocksText(content ?? []);
    const { child } = this.#options;
    if (recipientSessionId && recipientSessionId !== this.id) {
      this.subagents.prompted(recipientSessionId, text);
    } else if (child && recipientSessionId === this.id) {
      // A subagent's prompt is its tool's input (M13); the sender's copy is the same.
      child.of.subagents.prompted(this.id, text);
    } else if (senderSessionId && this.subagents.entryOf(senderSessionId) !== undefined) {
      this.subagents.replied(senderSessionId, text);
    } else if (text !== '') {
      this.scope.notice('injected', 'info', 'A message from another session.', text);
    }
  }
}
