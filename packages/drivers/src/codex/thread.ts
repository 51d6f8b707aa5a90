/**
 * Translates one thread of the agent, the user's or a subagent's, into changes. Delegates items, requests, turns,
 * information and notices to their modules.
 */
import type { Emitter } from '../kit/emitter.ts';
import { type Fields, listOf, recordOf, textAt } from '../kit/fields.ts';
import { Scope } from '../kit/scope.ts';
import { adviceFor, endOf, messageOf } from './errors.ts';
import { type AccountInfoTracker, ThreadInfoTracker } from './info-tracker.ts';
import { Items, type Names } from './items.ts';
import { Notices } from './notices.ts';
import { RawCalls } from './raw-calls.ts';
import { Requests } from './requests.ts';
import type { Subagents } from './subagents.ts';
import { userText } from './texts.ts';
import { Turns } from './turns.ts';
import type { UsageCount } from './usage.ts';

export interface ThreadOptions {
  readonly id: string;
  readonly out: Emitter;
  readonly usage: UsageCount;
  readonly account: AccountInfoTracker;
  readonly subagents: Subagents<Thread>;
  readonly names: Names;
  /** Warnings already shown. */
  readonly shownWarnings: Set<string>;
  /** For a subagent: its entry, and the thread it works for. */
  readonly child?: { readonly entry: string; readonly of: Thread } | undefined;
}

/** Items that are not tools. */
const NON_TOOL_ITEMS = new Set([
  'userMessage',
  'contextCompaction',
  'enteredReviewMode',
  'exitedReviewMode',
  'subAgentActivity',
  'hookPrompt',
  'functionCallOutput',
]);

const DELTAS: Readonly<Record<string, string>> = {
  'item/agentMessage/delta': 'agentMessage',
  'item/plan/delta': 'plan',
  'item/reasoning/summaryTextDelta': 'reasoning',
  'item/reasoning/textDelta': 'reasoning',
  'item/commandExecution/outputDelta': 'commandExecution',
};

export class Thread {
  readonly id: string;
  readonly scope: Scope;
  readonly turns: Turns;
  readonly items: Items;
  readonly requests: Requests;
  readonly info: ThreadInfoTracker;
  readonly notices: Notices;
  readonly child: ThreadOptions['child'];
  readonly #options: ThreadOptions;
  readonly #raw: RawCalls;
  #compacting: string | undefined;
  /** The running turn of a subagent. */
  working: string | undefined;
  /** The diff of the last turn that changed files. */
  lastDiff = '';

  constructor(options: ThreadOptions) {
    const { out, child } = options;
    this.#options = options;
    this.child = child;
    this.id = options.id;
    this.turns = child?.of.turns ?? new Turns(out);
    this.scope = new Scope({ out, parent: child?.entry, turn: () => this.turns.current });
    this.items = new Items({
      scope: this.scope,
      streams: () => this.turns.current !== undefined,
      names: options.names,
    });
    this.requests = new Requests(this.scope, this.items);
    this.info = new ThreadInfoTracker(this.scope, options.account);
    this.notices = new Notices(this.scope, options.shownWarnings);
    this.#raw = new RawCalls(this.scope, this.items);
  }

  turnStarted(turn: unknown): void {
    if (this.child) {
      this.working = textAt(turn, 'id');
      this.#options.subagents.working(this.id);
      return;
    }
    if (this.turns.current === undefined) this.#options.usage.turnStarted();
    this.turns.started(textAt(turn, 'id') ?? '');
  }

  turnCompleted(turn: unknown): void {
    const { status, error, id } = recordOf(turn);
    const name = typeof id === 'string' ? id : undefined;
    const endedBy = endOf(status, error);
    const how = status === 'interrupted' ? 'cancelled' : status === 'failed' ? 'failed' : 'completed';
    if (this.child) {
      this.working = undefined;
      this.#raw.flush(true);
      this.items.settle(how);
      if (how === 'failed') this.#failure(error);
      this.#options.subagents.ended(this.id, how, this.items.lastText);
      return;
    }
    if (!this.turns.ends(name)) return;
    this.#endOpen(how);
    if (how === 'failed') this.#failure(error);
    this.#options.usage.turnEnded();
    this.turns.ended(endedBy, how === 'failed' ? messageOf(error) : undefined);
  }

  /** The thread closed during a turn. */
  closed(): void {
    if (this.child || this.turns.current === undefined) return;
    this.#endOpen('failed');
    this.turns.ended('error', 'The agent closed the thread.');
  }

  itemStarted(item: Fields, turn: string | undefined): void {
    const type = textAt(item, 'type') ?? '';
    this.turns.phase(type === 'contextCompaction' ? 'compacting' : 'running', phaseNote(type));
    if (type === 'agentMessage' || type === 'userMessage') this.#raw.flush(false);
    if (type === 'contextCompaction') this.#compacting = textAt(item, 'id') ?? '';
    if (type === 'userMessage') this.#userMessage(item);
    if (!NON_TOOL_ITEMS.has(type)) this.#options.subagents.spawning(this, this.items.started(item, turn));
    else if (type === 'subAgentActivity') this.#options.subagents.activity(this, item);
  }

  itemCompleted(item: Fields, turn: string | undefined): void {
    const type = textAt(item, 'type') ?? '';
    this.turns.phase('running');
    if (NON_TOOL_ITEMS.has(type)) this.#nonToolItem(type, item);
    // A subagent continues after its spawn call.
    else if (!this.#options.subagents.spawned(this, item, turn)) this.items.completed(item, turn);
    if (type === 'collabAgentToolCall') this.#options.subagents.toolCallReceived(item);
  }

  delta(method: string, params: Fields): void {
    const id = textAt(params, 'itemId');
    const type = DELTAS[method];
    if (id === undefined || type === undefined) return;
    this.turns.phase('running');
    const part = method.startsWith('item/reasoning/')
      ? `${method} ${String(params.summaryIndex ?? params.contentIndex ?? 0)}`
      : '';
    this.items.delta(type, id, textAt(params, 'turnId'), textAt(params, 'delta') ?? '', part);
  }

  /** Input typed into a running command. */
  typed(params: Fields): void {
    const item = this.items.find(textAt(params, 'itemId'), textAt(params, 'turnId'));
    const stdin = textAt(params, 'stdin');
    if (item && !item.over && stdin) this.items.append(item, stdin.endsWith('\n') ? stdin : `${stdin}\n`);
  }

  /** A model reviewed in the user's place. */
  reviewed({ targetItemId, turnId, review }: Fields): void {
    const id = typeof targetItemId === 'string' ? targetItemId : undefined;
    const item = this.items.find(id, typeof turnId === 'string' ? turnId : undefined);
    const why = textAt(review, 'rationale');
    if (item && !item.over && textAt(review, 'status') === 'denied')
      item.denied = { by: 'agent', ...(why === undefined ? {} : { why }) };
  }

  raw(item: Fields): void {
    this.#raw.take(item);
  }

  todos(params: Fields): void {
    if (this.child) return;
    const todos = listOf(params.plan).map((step, index) => {
      const status = textAt(step, 'status');
      const state = status === 'completed' ? 'done' : status === 'inProgress' ? 'active' : 'pending';
      return { id: String(index + 1), text: textAt(step, 'step') ?? '', state } as const;
    });
    this.scope.out.put({ kind: 'todos.replaced', todos });
  }

  /** A retry; a final error is reported by the turn's end. */
  error(params: Fields): void {
    if (params.willRetry !== true) return;
    const detail = textAt(params.error, 'additionalDetails');
    const note = [messageOf(params.error), detail].filter(Boolean).join(' ');
    this.turns.phase('retrying', note);
  }

  /** Past turns, oldest first. Known items are skipped. */
  history(turns: readonly unknown[]): void {
    for (const turn of turns) {
      const { id, items, error, status } = recordOf(turn);
      const name = typeof id === 'string' ? id : undefined;
      const isRunning = status === 'inProgress' && this.turns.current !== undefined;
      for (const item of listOf(items)) this.#past(recordOf(item), name);
      if (status === 'failed' && error) this.#failure(error);
      else if (status === 'interrupted')
        this.scope.notice('interrupted', 'info', 'This turn was interrupted.');
      if (!isRunning) this.items.settle('cancelled');
    }
  }

  #past(item: Fields, turn: string | undefined): void {
    const type = textAt(item, 'type') ?? '';
    const id = textAt(item, 'id') ?? '';
    if (this.items.find(id, turn)?.turn === turn && this.items.has(id)) return;
    if (NON_TOOL_ITEMS.has(type) && this.items.markSeen(id)) return;
    if (type === 'userMessage') {
      this.scope.open({
        id: this.items.entryName(id, turn, ownId(textAt(item, 'clientId'))),
        kind: 'user',
        status: 'complete',
        text: userText(item.content),
        delivery: 'delivered',
      });
    } else if (NON_TOOL_ITEMS.has(type)) this.#nonToolItem(type, item);
    else if (textAt(item, 'status') === 'inProgress') this.items.started(item, turn);
    else this.items.completed(item, turn);
  }

  #nonToolItem(type: string, item: Fields): void {
    switch (type) {
      case 'userMessage':
        this.#userMessage(item);
        return;
      case 'contextCompaction':
        this.#compacting = undefined;
        this.scope.notice('compaction', 'info', 'The conversation was summed up.');
        return;
      case 'enteredReviewMode':
        this.scope.notice('info', 'info', `Review: ${textAt(item, 'review') ?? 'changes'}`);
        return;
      case 'exitedReviewMode':
        this.scope.notice('info', 'info', 'The review is over.', textAt(item, 'review'));
        return;
      case 'subAgentActivity':
        this.#options.subagents.activity(this, item);
        return;
      case 'hookPrompt': {
        const text = listOf(item.fragments).flatMap((part) => textAt(part, 'text') ?? []);
        this.scope.notice('injected', 'info', 'A hook added a message.', text.join('\n'));
        return;
      }
    }
  }

  /** Sent as started and as completed. A message that is not ours was added by the agent: a review, a goal. */
  #userMessage(item: Fields): void {
    const id = textAt(item, 'id') ?? '';
    const text = userText(item.content);
    if (this.items.markSeen(id)) return;
    this.items.dropUnfinished();
    if (this.child) this.#options.subagents.promptReceived(this.id, text);
    else if (!this.turns.arrive(textAt(item, 'clientId'), text))
      this.scope.notice('injected', 'info', 'The agent added a message of its own.', text);
  }

  #endOpen(how: 'completed' | 'cancelled' | 'failed'): void {
    this.#raw.flush(true);
    this.requests.withdrawAll();
    if (this.#compacting !== undefined) {
      const level = how === 'cancelled' ? 'info' : 'warning';
      const text = how === 'cancelled' ? 'was cancelled' : 'did not succeed';
      this.scope.notice('compaction', level, `Summing up the conversation ${text}.`);
      this.#compacting = undefined;
    }
    this.#options.subagents.pause(this);
    this.items.settle(how);
  }

  #failure(error: unknown): void {
    const advice = adviceFor(error);
    const text = [messageOf(error), advice].filter(Boolean).join('\n\n');
    this.scope.notice('error', 'error', text, textAt(error, 'additionalDetails'));
  }
}

function phaseNote(type: string): string | undefined {
  return type === 'contextCompaction' ? 'Compacting the conversation' : undefined;
}

/** Our id of a message is the id of its entry. */
function ownId(clientId: string | undefined): string | undefined {
  return clientId !== undefined && /^[\w-]{1,100}$/.test(clientId) ? clientId : undefined;
}
