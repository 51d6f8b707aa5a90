/**
 * Translates the messages of a connection into changes, live and in replay. Sees sent and received messages, and
 * matches responses by id. Pure: no process, clock or randomness.
 */
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { NewEntry } from '@tugdeck/protocol/conversation/entries';
import type { Usage } from '@tugdeck/protocol/conversation/session-info';
import { Emitter } from '../kit/emitter.ts';
import { type Fields, listOf, recordOf, textAt } from '../kit/fields.ts';
import type { Output } from '../kit/port.ts';
import { idKey, type Message, type RpcError, type RpcId, readMessage } from '../kit/rpc.ts';
import { Scope } from '../kit/scope.ts';
import { AccountInfoTracker } from './info-tracker.ts';
import type { Names } from './items.ts';
import { Notices } from './notices.ts';
import type { OpenRequest } from './requests.ts';
import { Subagents } from './subagents.ts';
import { userText } from './texts.ts';
import { Thread } from './thread.ts';
import { UsageCount } from './usage.ts';
import { ITEM_TYPES, isIgnored, isKnownRequest, NOTICES } from './wire.ts';

export interface TranslatorOptions {
  /** Makes ids unique among runs of the same session. */
  readonly mark: string;
  /** Usage before this run. */
  readonly usage?: Usage | undefined;
  /** Whether replayed history is shown. */
  readonly history: boolean;
  /** The driver resends a steered prompt that came too late, with its own turn. */
  readonly resends?: boolean;
  /** Restricts a recording to this thread and its subagents. */
  readonly only?: string | undefined;
}

interface Call {
  readonly method: string;
  readonly thread: string | undefined;
}

/** Calls that open a thread for the user. */
const OPEN_CALLS = new Set(['thread/start', 'thread/resume', 'thread/fork']);
/** Calls that start a turn without a prompt. */
const TURN_CALLS = new Set([
  'review/start',
  'thread/compact/start',
  'thread/goal/set',
  'thread/shellCommand',
]);

export class Translator {
  readonly #options: TranslatorOptions;
  readonly #out: Emitter;
  readonly #usage: UsageCount;
  readonly #account: AccountInfoTracker;
  readonly #notices: Notices;
  readonly #shownWarnings = new Set<string>();
  readonly #names: Names = new Map();
  readonly #threads = new Map<string, Thread>();
  readonly #subagents = new Subagents<Thread>((id) => this.#threads.get(id));
  readonly #calls = new Map<string, Call>();
  #main: Thread | undefined;

  constructor(options: TranslatorOptions) {
    this.#options = options;
    this.#out = new Emitter(options.mark);
    this.#usage = new UsageCount(this.#out, options.usage);
    this.#account = new AccountInfoTracker(this.#out);
    this.#notices = new Notices(
      new Scope({ out: this.#out, turn: () => this.#main?.turns.current }),
      this.#shownWarnings,
    );
  }

  /** A message before it is written. `prompt`: id of the prompt that it carries. */
  sent(message: Message, prompt?: string): Output[] {
    if (message.type !== 'request') return [];
    const { id, method, params } = message;
    const threadId = textAt(params, 'threadId');
    const thread = threadId === undefined ? undefined : this.#threads.get(threadId);
    this.#calls.set(idKey(id), { method, thread: threadId });
    if (prompt !== undefined && threadId !== undefined)
      this.#sendPrompt(method, id, params, prompt, threadId);
    else if (method === 'turn/interrupt' && thread?.turns.current !== undefined)
      thread.turns.cancelling = true;
    else if (method === 'thread/resume') thread?.items.missed();
    else if (method === 'thread/queue/delete') thread?.turns.unqueued(textAt(params, 'queuedSubmissionId'));
    return this.#take(threadId);
  }

  /** A parsed line of stdout. */
  received(value: unknown): Output[] {
    const message = readMessage(value);
    switch (message.type) {
      case 'response':
        return this.#response(message.id, recordOf(message.result), message.error);
      case 'notification':
        return this.#notification(message.method, recordOf(message.params));
      case 'request':
        return this.#request(message.id, message.method, message.params);
      case 'unrecognized':
        return this.drift(message.what);
    }
  }

  drift(what: string): Output[] {
    this.#out.drift(what);
    return this.#out.take();
  }

  /** Opens an entry of the driver itself, such as a sign-in. */
  open(make: (id: string) => NewEntry, what: string): Output[] {
    this.#out.put({ kind: 'entry.opened', entry: make(this.#out.id(what)) });
    return this.#out.take();
  }

  /** Past turns, page by page. */
  history(thread: string, turns: readonly unknown[]): Output[] {
    this.#thread(thread).history(turns);
    return this.#take(thread);
  }

  thread(id: string | undefined): Thread | undefined {
    return id === undefined ? undefined : this.#threads.get(id);
  }

  /** All known subagents of a thread, including nested ones. */
  childrenOf(thread: Thread): Thread[] {
    const own = [...this.#threads.values()].filter((one) => one.child?.of === thread);
    return own.flatMap((child) => [child, ...this.childrenOf(child)]);
  }

  request(entry: string): OpenRequest | undefined {
    return this.#requests().find((request) => request.entry === entry);
  }

  requestOf(rpc: RpcId): OpenRequest | undefined {
    return this.#requests().find((request) => idKey(request.rpc) === idKey(rpc));
  }

  /** A request was answered, or withdrawn if undefined. */
  answered(entry: string, answer: Answer | undefined): Output[] {
    for (const thread of this.#threads.values()) {
      if (!thread.requests.open.some((request) => request.entry === entry)) continue;
      if (answer === undefined) thread.requests.withdraw(entry);
      else thread.requests.done(entry, allows(answer));
      return this.#take(thread.id);
    }
    return [];
  }

  /** Withdraws all requests to the user. */
  withdrawAll(): { readonly requests: OpenRequest[]; readonly outputs: Output[] } {
    const requests = [...this.#threads.values()].flatMap((thread) => thread.requests.withdrawAll());
    return { requests, outputs: this.#out.take() };
  }

  #requests(): OpenRequest[] {
    return [...this.#threads.values()].flatMap(({ requests }) => requests.open);
  }

  #sendPrompt(method: string, id: RpcId, params: unknown, prompt: string, threadId: string): void {
    const { turns } = this.#thread(threadId, true);
    const text = textAt(params, 'text') ?? userText(recordOf(params).input);
    if (turns.current === undefined) this.#usage.turnStarted();
    if (method === 'thread/queue/add') turns.queue(prompt, idKey(id), text);
    else turns.send(prompt, idKey(id), text, method === 'turn/steer');
  }

  #response(id: RpcId, result: Fields, error: RpcError | undefined): Output[] {
    const key = idKey(id);
    const call = this.#calls.get(key);
    this.#calls.delete(key);
    // A response to a request that we did not see.
    if (!call) return this.drift('answer to nothing that was asked');
    const { method, thread: threadId } = call;
    const thread = threadId === undefined ? undefined : this.#threads.get(threadId);
    const failure = error === undefined ? undefined : error.message || `Error ${error.code}`;
    if (method === 'initialize' && !error) this.#account.initialized(result);
    else if (method === 'model/list') this.#models(result);
    else if (method === 'account/read') this.#account.account(result);
    else if (method === 'account/rateLimits/read' && !error) this.#account.limits(result.rateLimits);
    else if (OPEN_CALLS.has(method) && !error) return this.#opened(method, result);
    else if (thread) {
      if (this.#options.resends && isTooLate(method, error)) thread.turns.forget(key);
      else thread.turns.answered(key, textAt(result.turn, 'id'), failure);
      if (method === 'thread/queue/add' && !error)
        thread.turns.queuedAs(key, textAt(result.queuedSubmission, 'id'));
      if (TURN_CALLS.has(method) && error) thread.turns.refused();
      else if (method === 'thread/settings/update') this.#settingsUpdated(thread, failure);
      else if (method === 'thread/goal/clear') thread.turns.done(key);
      else if (method === 'review/start') thread.turns.begin(textAt(result.turn, 'id') ?? '');
    }
    return this.#take(threadId);
  }

  /** Emits the settings even if unchanged, because the request is shown as pending until then. */
  #settingsUpdated(thread: Thread, failure: string | undefined): void {
    if (failure === undefined) thread.info.settings({});
  }

  #opened(method: string, result: Fields): Output[] {
    const id = textAt(result.thread, 'id');
    if (id === undefined) return this.drift(`${method} without a thread`);
    const thread = this.#thread(id, true);
    thread.info.threadOpened(result);
    if (this.#options.history && method !== 'thread/start') thread.history(turnsIn(result));
    thread.info.quiet = false;
    return this.#take(id);
  }

  #models(result: Fields): void {
    this.#account.modelList(result);
    for (const thread of this.#threads.values()) if (!thread.child) thread.info.offer();
  }

  #notification(method: string, params: Fields): Output[] {
    const id = textAt(params, 'threadId');
    const known = id === undefined ? undefined : this.#threads.get(id);
    switch (method) {
      case 'turn/started':
      case 'turn/completed':
      case 'item/started':
      case 'item/completed':
        if (id === undefined) return this.drift(`${method} without a thread`);
        this.#lifecycle(this.#thread(id), method, params);
        break;
      case 'item/agentMessage/delta':
      case 'item/plan/delta':
      case 'item/reasoning/summaryTextDelta':
      case 'item/reasoning/textDelta':
      case 'item/commandExecution/outputDelta':
        if (id === undefined) return this.drift(`${method} without a thread`);
        this.#thread(id).delta(method, params);
        break;
      case 'item/commandExecution/terminalInteraction':
        known?.typed(params);
        break;
      case 'item/fileChange/patchUpdated': {
        const item = known?.items.find(textAt(params, 'itemId'), textAt(params, 'turnId'));
        if (item) known?.items.patch(item, { changes: params.changes });
        break;
      }
      case 'item/mcpToolCall/progress': {
        const item = known?.items.find(textAt(params, 'itemId'), textAt(params, 'turnId'));
        const progress = textAt(params, 'message');
        if (item && !item.over && item.entry !== '' && progress)
          this.#out.put({ kind: 'entry.patched', entry: item.entry, patch: { progress } });
        break;
      }
      case 'rawResponseItem/completed':
        known?.raw(recordOf(params.item));
        break;
      case 'turn/plan/updated':
        known?.todos(params);
        break;
      case 'turn/diff/updated':
        if (known) known.lastDiff = textAt(params, 'diff') ?? '';
        break;
      case 'error':
        known?.error(params);
        break;
      case 'serverRequest/resolved':
        return this.#resolved(params.requestId);
      case 'thread/tokenUsage/updated':
        if (id !== undefined) this.#usage.update(id, params.tokenUsage, known === undefined || !known.child);
        break;
      case 'thread/name/updated':
        if (known && !known.child) known.info.title(params.threadName);
        break;
      case 'thread/settings/updated':
        if (known && !known.child) known.info.settings(recordOf(params.threadSettings));
        break;
      case 'thread/closed':
        known?.closed();
        break;
      case 'thread/compacted':
        known?.scope.notice('compaction', 'info', 'The conversation was summed up.');
        break;
      case 'mcpServer/startupStatus/updated': {
        const thread = known ?? this.#main;
        thread?.info.server(params);
        (thread?.notices ?? this.#notices).take(method, params);
        break;
      }
      case 'account/rateLimits/updated':
        this.#account.limits(params.rateLimits);
        break;
      case 'account/updated':
        this.#account.updated(params);
        break;
      case 'account/login/completed':
        this.#signedIn(params);
        break;
      default:
        if (NOTICES.has(method)) this.#notice(method, params, known);
        else if (!isIgnored(method)) return this.drift(`notification ${method}`);
    }
    return this.#take(id);
  }

  #lifecycle(thread: Thread, method: string, params: Fields): void {
    const item = recordOf(params.item);
    const turn = textAt(params, 'turnId');
    const type = textAt(item, 'type');
    if (method === 'turn/started') thread.turnStarted(params.turn);
    else if (method === 'turn/completed') thread.turnCompleted(params.turn);
    else if (type === undefined) this.#out.drift('item without a type');
    else {
      if (!ITEM_TYPES.has(type)) this.#out.drift(`item ${type}`);
      if (method === 'item/started') thread.itemStarted(item, turn);
      else thread.itemCompleted(item, turn);
    }
  }

  /** Notices of unopened threads are ignored. */
  #notice(method: string, params: Fields, thread: Thread | undefined): void {
    const id = textAt(params, 'threadId');
    if (thread) {
      if (method === 'item/autoApprovalReview/completed') thread.reviewed(params);
      thread.notices.take(method, params);
    } else if (id === undefined || this.#isOpening()) this.#notices.take(method, params);
  }

  #signedIn(params: Fields): void {
    const error = textAt(params, 'error');
    if (params.success === true) this.#out.notice('info', 'info', 'Signed in.');
    else this.#out.notice('error', 'error', `Signing in failed${error ? `: ${error}` : '.'}`);
  }

  #resolved(rpc: unknown): Output[] {
    if (typeof rpc !== 'string' && typeof rpc !== 'number') return [];
    const request = this.requestOf(rpc);
    return request ? this.answered(request.entry, undefined) : [];
  }

  #request(id: RpcId, method: string, params: unknown): Output[] {
    if (!isKnownRequest(method)) this.#out.drift(`request ${method}`);
    const named = textAt(params, 'threadId') ?? textAt(params, 'conversationId');
    const thread = this.#thread(named ?? this.#main?.id ?? '');
    thread.requests.receive(id, method, params);
    return this.#take(thread.id);
  }

  /** By id; an unopened one is a subagent's. */
  #thread(id: string, isOpened = this.#main === undefined || this.#isOpening()): Thread {
    const known = this.#threads.get(id);
    if (known) return known;
    const found = this.#subagents.find(id);
    const agent = found ?? (isOpened || !this.#main ? undefined : this.#subagents.adopt(id, this.#main));
    const thread = new Thread({
      id,
      out: this.#out,
      usage: this.#usage,
      account: this.#account,
      subagents: this.#subagents,
      shownWarnings: this.#shownWarnings,
      names: this.#names,
      ...(agent ? { child: { entry: agent.entry, of: agent.of } } : {}),
    });
    this.#threads.set(id, thread);
    if (!agent) this.#main = thread;
    return thread;
  }

  #isOpening(): boolean {
    return [...this.#calls.values()].some(({ method }) => OPEN_CALLS.has(method));
  }

  /** The outputs, unless they belong to another thread than the requested one. */
  #take(id: string | undefined): Output[] {
    const outputs = this.#out.take();
    const { only } = this.#options;
    if (only === undefined || id === undefined) return outputs;
    let thread = this.#threads.get(id);
    while (thread?.child) thread = thread.child.of;
    return (thread?.id ?? id) === only ? outputs : [];
  }
}

/** The turn that a message was meant for has ended. */
export function isTooLate(method: string, error: RpcError | undefined): boolean {
  return method === 'turn/steer' && /no active turn/.test(error?.message ?? '');
}

/** All turns, or a page, which may start with the newest. */
function turnsIn(result: Fields): readonly unknown[] {
  const all = listOf(recordOf(result.thread).turns);
  const page = listOf(recordOf(result.initialTurnsPage).data);
  const startOf = (turn: unknown): number => Number(recordOf(turn).startedAt ?? 0);
  return all.length > 0 ? all : page.toSorted((a, b) => startOf(a) - startOf(b));
}

function allows(answer: Answer): boolean | undefined {
  return answer.type === 'permission' ? answer.behavior === 'allow' : undefined;
}
