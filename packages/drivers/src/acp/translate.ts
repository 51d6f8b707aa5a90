/**
 * Translates the messages of a connection into changes, live and in replay. Sees sent and received messages, and
 * matches responses by id. Pure: no process, clock or randomness.
 */
import { findByHandshakeName, type KnownAgent } from '@tugdeck/agents/catalog';
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { NewEntry } from '@tugdeck/protocol/conversation/entries';
import type { Usage } from '@tugdeck/protocol/conversation/session-info';
import { Emitter } from '../kit/emitter.ts';
import { listOf, recordOf, textAt } from '../kit/fields.ts';
import type { Output } from '../kit/port.ts';
import { idKey, type Message, type RpcError, type RpcId, readMessage } from '../kit/rpc.ts';
import { Scope } from '../kit/scope.ts';
import { InfoTracker } from './info-tracker.ts';
import { errorText, STOP_REASONS, turnOutcome } from './outcomes.ts';
import type { OpenRequest } from './requests.ts';
import { forksBeforeMessages } from './session-params.ts';
import { SessionTranslator } from './translate-session.ts';
import { UsageCount } from './usage.ts';
import { readUpdate } from './wire.ts';

export interface TranslatorOptions {
  /** Makes ids unique among runs of the same session. */
  readonly mark: string;
  /** Usage before this run. */
  readonly usage?: Usage | undefined;
  /** Whether history replayed by `session/load` is shown. */
  readonly history: boolean;
  /** Restricts a recording to this session. */
  readonly only?: string | undefined;
}

interface Call {
  readonly method: string;
  readonly params: unknown;
  readonly session: string | undefined;
  readonly prompt: string | undefined;
}

/** Requests that the driver answers without the user. */
const SERVED = /^(fs|terminal)\//;
const STILL_RUNNING = 'The command may still run: this agent does not end it. A restart of the agent does.';

export class Translator {
  readonly #options: TranslatorOptions;
  readonly #out: Emitter;
  readonly #usage: UsageCount;
  readonly #connection: InfoTracker;
  readonly #sessions = new Map<string, SessionTranslator>();
  readonly #calls = new Map<string, Call>();
  #main: SessionTranslator | undefined;
  #known: KnownAgent | undefined;
  #forksBefore = false;

  constructor(options: TranslatorOptions) {
    this.#options = options;
    this.#out = new Emitter(options.mark);
    this.#usage = new UsageCount(this.#out, options.usage);
    this.#connection = new InfoTracker(new Scope({ out: this.#out, turn: () => undefined }));
  }

  /** A message before it is written. `prompt`: id of the prompt that it carries. */
  sent(message: Message, prompt?: string): Output[] {
    if (message.type === 'notification') {
      const session = this.#named(message.params);
      if (message.method === 'session/cancel' && session?.turns.current) session.turns.cancelling = true;
      return this.#take(session?.id);
    }
    if (message.type !== 'request') return [];
    const { id, method, params } = message;
    const session = textAt(params, 'sessionId');
    this.#calls.set(idKey(id), { method, params, session, prompt });
    if (session === undefined) return [];
    if (method === 'session/prompt' && prompt !== undefined) {
      this.#session(session).turns.send(prompt, idKey(id), promptText(params));
    } else if (method === '_session/steering' && prompt !== undefined) {
      this.#session(session).turns.steer(prompt);
    } else if (method === 'session/load') {
      this.#session(session).load();
    }
    return this.#take(session);
  }

  /** A parsed line of stdout. */
  received(value: unknown): Output[] {
    const message = readMessage(value);
    switch (message.type) {
      case 'response':
        return this.#response(message.id, message.result, message.error);
      case 'notification':
        return this.#notification(message.method, message.params);
      case 'request':
        return this.#request(message.id, message.method, message.params);
      case 'unrecognized':
        return this.drift(message.what, value);
    }
  }

  drift(what: string, message?: unknown): Output[] {
    this.#out.drift(what, message);
    return this.#out.take();
  }

  /** Opens an entry of the driver itself, such as a sign-in. */
  open(make: (id: string) => NewEntry, what: string): Output[] {
    this.#out.put({ kind: 'entry.opened', entry: make(this.#out.id(what)) });
    return this.#out.take();
  }

  request(entry: string): OpenRequest | undefined {
    return this.#requests().find((request) => request.entry === entry);
  }

  requestOf(rpc: RpcId): OpenRequest | undefined {
    return this.#requests().find((request) => idKey(request.rpc) === idKey(rpc));
  }

  /** A request was answered, or withdrawn if undefined. */
  answered(entry: string, answer: Answer | undefined): Output[] {
    for (const session of this.#sessions.values()) {
      if (!session.requests.open.some((request) => request.entry === entry)) continue;
      if (answer === undefined) session.requests.withdraw(entry);
      else session.requests.done(entry, allows(answer));
      return this.#take(session.id);
    }
    return [];
  }

  /** Withdraws all requests to the user. */
  withdrawAll(): { readonly requests: OpenRequest[]; readonly outputs: Output[] } {
    const requests = [...this.#sessions.values()].flatMap((session) => session.requests.withdrawAll());
    return { requests, outputs: this.#out.take() };
  }

  terminalOutput(session: string, terminal: string, data: string): Output[] {
    this.#sessions.get(session)?.tools.output(terminal, data);
    return this.#take(session);
  }

  /** Whether the agent replayed any history. */
  hasReplayedHistory(session: string): boolean {
    return this.#sessions.get(session)?.hasReplayedHistory ?? false;
  }

  /** The stream paused; repeated text after it indicates a retry. */
  paused(): void {
    for (const session of this.#sessions.values()) session.paused();
  }

  isRunning(session: string): boolean {
    return this.#sessions.get(session)?.turns.current !== undefined;
  }

  info(session: string): InfoTracker | undefined {
    return this.#sessions.get(session)?.info;
  }

  /** During setup, mode and model changes are not announced. */
  quiet(session: string, quiet: boolean): void {
    this.#session(session).info.quiet = quiet;
  }

  #requests(): OpenRequest[] {
    return [...this.#sessions.values()].flatMap(({ requests }) => requests.open);
  }

  #response(id: RpcId, result: unknown, error: RpcError | undefined): Output[] {
    const key = idKey(id);
    const call = this.#calls.get(key);
    this.#calls.delete(key);
    if (!call) return this.drift('answer to nothing that was asked');
    const { method, params, session } = call;
    switch (method) {
      case 'initialize':
        this.#known = findByHandshakeName(textAt(recordOf(recordOf(result).agentInfo), 'name'));
        this.#forksBefore = forksBeforeMessages(result);
        if (!error) this.#connection.initialized(result);
        break;
      case 'session/new':
      case 'session/fork': {
        const created = textAt(result, 'sessionId');
        if (created === undefined) break;
        this.#session(created).loaded();
        this.#session(created).info.sessionOpened(created, result);
        return this.#take(created);
      }
      case 'session/load':
      case 'session/resume':
        if (session === undefined) break;
        this.#session(session).loaded();
        if (!error) this.#session(session).info.sessionOpened(session, result);
        break;
      case 'session/prompt':
        if (session !== undefined) this.#promptAnswered(this.#session(session), key, result, error);
        break;
      case '_session/steering':
        if (session !== undefined && call.prompt !== undefined)
          this.#session(session).turns.steered(call.prompt, error && errorText(error));
        break;
      case 'session/set_mode':
      case 'session/set_model':
      case 'session/set_config_option':
        if (session !== undefined) this.#configured(this.#session(session), method, params, result, error);
        break;
    }
    return this.#take(session);
  }

  #promptAnswered(
    session: SessionTranslator,
    key: string,
    result: unknown,
    error: RpcError | undefined,
  ): void {
    if (!session.turns.ends(key)) return;
    const reason = textAt(result, 'stopReason');
    if (reason !== undefined && !STOP_REASONS.has(reason)) this.#out.drift(`stop reason ${reason}`);
    const cancelling = session.turns.cancelling;
    const isCancelled = cancelling || reason === 'cancelled';
    const runsOn = cancelling && this.#known?.commandsOutliveCancel === true && session.tools.isRunning();
    const retracted = error && !cancelling ? session.retractError(errorText(error)) : undefined;
    session.settle(isCancelled);
    if (runsOn) session.scope.notice('info', 'warning', STILL_RUNNING);
    for (const child of this.#childrenOf(session)) {
      if (isCancelled) child.settle(true);
      else child.pause();
    }
    const outcome = turnOutcome(result, error, {
      cancelling,
      refused: session.requests.takeRefused(),
      lastText: session.lastText,
      retracted,
    });
    if (outcome.notice) {
      const { level, text, detail } = outcome.notice;
      session.scope.notice(level === 'info' ? 'interrupted' : 'error', level, text, detail);
    }
    this.#usage.answered(result);
    session.turns.ended(outcome.endedBy, outcome.why);
  }

  #configured(
    session: SessionTranslator,
    method: string,
    params: unknown,
    result: unknown,
    error: RpcError | undefined,
  ): void {
    const wanted = session.info.requested(method, params);
    if (error) {
      if (wanted) this.#out.put({ kind: 'config.refused', option: wanted.option, why: errorText(error) });
      return;
    }
    session.info.config(result);
    // If the result has options, they are authoritative; otherwise the requested value is in effect.
    if (wanted && listOf(recordOf(result).configOptions).length === 0)
      session.info.changed(wanted.option, wanted.value);
  }

  #notification(method: string, params: unknown): Output[] {
    switch (method) {
      case 'session/update': {
        const update = readUpdate(recordOf(params).update);
        const id = textAt(params, 'sessionId');
        if (typeof update === 'string') return this.drift(update, params);
        if (id === undefined) return this.drift('session/update without a session');
        this.#session(id).update(update, recordOf(params)._meta);
        return this.#take(id);
      }
      case '$/cancel_request':
        return this.#withdrawn(recordOf(params).requestId);
      case 'elicitation/complete':
        for (const request of this.#requests()) {
          const own = textAt(request.params, 'elicitationId');
          if (own !== undefined && own === textAt(params, 'elicitationId'))
            return this.answered(request.entry, undefined);
        }
        return [];
      case '_auth/status_update':
      case 'auth/status_update':
        this.#connection.account(params);
        return this.#out.take();
      default:
        return this.drift(`notification ${method}`, params);
    }
  }

  #withdrawn(rpc: unknown): Output[] {
    if (typeof rpc !== 'string' && typeof rpc !== 'number') return [];
    const request = this.requestOf(rpc);
    return request ? this.answered(request.entry, undefined) : [];
  }

  #request(id: RpcId, method: string, params: unknown): Output[] {
    if (SERVED.test(method)) return [];
    // The driver rejects extensions at once, because an agent may wait for that.
    if (method.startsWith('_') || method === 'mcp/message') return this.drift(`request ${method}`, params);
    const known = method === 'session/request_permission' || method === 'elicitation/create';
    if (!known) this.#out.drift(`request ${method}`, params);
    const session = this.#session(textAt(params, 'sessionId') ?? this.#main?.id ?? '');
    session.asks();
    session.requests.receive(id, method, params);
    return this.#take(session.id);
  }

  #named(params: unknown): SessionTranslator | undefined {
    return this.#sessions.get(textAt(params, 'sessionId') ?? '');
  }

  /** By id; an unknown one may be a subagent's or one that is being created. */
  #session(id: string): SessionTranslator {
    const known = this.#sessions.get(id);
    if (known) return known;
    const of = [...this.#sessions.values()].find(({ subagents }) => subagents.entryOf(id) !== undefined);
    const entry = of?.subagents.entryOf(id);
    const session = new SessionTranslator({
      id,
      out: this.#out,
      usage: this.#usage,
      history: this.#options.history,
      usageEndsMessages: () => this.#known?.usageEndsMessages === true,
      knowsMessages: () => this.#forksBefore,
      isDangerous: (mode) => this.#known?.dangerousModes?.includes(mode) ?? false,
      ...(of && entry !== undefined ? { child: { entry, of } } : {}),
    });
    this.#sessions.set(id, session);
    if (!of) this.#main = session;
    // A fork's history may be replayed before its id is known.
    if (!of && [...this.#calls.values()].some(({ method }) => method === 'session/fork')) session.load();
    return session;
  }

  #childrenOf(session: SessionTranslator): SessionTranslator[] {
    return session.subagents.sessions.flatMap((id) => {
      const child = this.#sessions.get(id);
      return child ? [child, ...this.#childrenOf(child)] : [];
    });
  }

  /** The outputs, unless they belong to another session than the requested one. */
  #take(session: string | undefined): Output[] {
    const outputs = this.#out.take();
    const { only } = this.#options;
    if (only === undefined || session === undefined || session === only) return outputs;
    const child = this.#sessions.get(only)?.subagents.entryOf(session) !== undefined;
    return child ? outputs : [];
  }
}

function allows(answer: Answer): boolean | undefined {
  if (answer.type === 'permission') return answer.behavior === 'allow';
  return answer.type === 'plan' ? answer.approve : undefined;
}

export function promptText(params: unknown): string {
  return listOf(recordOf(params).prompt)
    .flatMap((block) => (recordOf(block).type === 'text' ? (textAt(block, 'text') ?? []) : []))
    .join('\n');
}
