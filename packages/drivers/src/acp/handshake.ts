/**
 * Opens a connection: the handshake, then a session (new, resumed, forked or the newest), then its mode and model.
 * Respects the agent's capabilities and known unsafe calls (H9).
 */

import { findByHandshakeName, type KnownAgent } from '@tugdeck/agents/catalog';
import { type Fields, recordOf, textAt } from '../kit/fields.ts';
import type { Outcome, Peer } from '../kit/peer.ts';
import type { AgentStart } from '../kit/port.ts';
import { ERROR } from '../kit/rpc.ts';
import { untrustedText } from '../kit/untrusted-text.ts';
import { errorText } from './outcomes.ts';
import { listSessions } from './session-list.ts';
import { forksBeforeMessages, sessionParams } from './session-params.ts';
import type { Translator } from './translate.ts';
import { PROTOCOL_VERSION } from './wire.ts';

const CAPABILITIES = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  session: { compaction: {}, notices: {}, configOptions: { boolean: {} } },
  elicitation: { form: {}, url: {} },
  auth: { terminal: true },
  plan: {},
  subagents: {},
  // Without it, some agents wrap command output into prose.
  _meta: { terminal_output: true },
};

export interface HandshakeHandler {
  /** The session is open and configured. */
  opened(session: string): void;
  /** The agent requires a sign-in. */
  signIn(): void;
  /** The host starts a new session and adds a notice. */
  cannotResume(): void;
  /** `isFatal`: a retry would fail again. */
  failed(why: string, isFatal?: boolean): void;
}

export class Handshake {
  readonly #peer: Peer;
  readonly #start: AgentStart;
  readonly #translator: Translator;
  readonly #handler: HandshakeHandler;
  #initialized: unknown;
  #known: KnownAgent | undefined;

  constructor(peer: Peer, start: AgentStart, translator: Translator, handler: HandshakeHandler) {
    this.#peer = peer;
    this.#start = start;
    this.#translator = translator;
    this.#handler = handler;
  }

  /** The result of `initialize`. */
  get initialized(): unknown {
    return this.#initialized;
  }

  get known(): KnownAgent | undefined {
    return this.#known;
  }

  get sessionCapabilities(): Fields {
    return recordOf(recordOf(recordOf(this.#initialized).agentCapabilities).sessionCapabilities);
  }

  start(): void {
    const clientInfo = { name: 'tugdeck', title: 'Tugdeck', version: '0.1.0' };
    this.#peer.request(
      'initialize',
      { protocolVersion: PROTOCOL_VERSION, clientCapabilities: CAPABILITIES, clientInfo },
      (outcome) => this.#onInitialize(outcome),
    );
  }

  #onInitialize({ result, error }: Outcome): void {
    const version = recordOf(result).protocolVersion;
    if (error || version !== PROTOCOL_VERSION) {
      const reason = error ? errorText(error) : `it speaks version ${untrustedText(version)} of the protocol`;
      this.#handler.failed(`the handshake failed: ${reason}`, error === undefined);
      return;
    }
    this.#initialized = result;
    this.#known = findByHandshakeName(textAt(recordOf(result).agentInfo, 'name'));
    this.openSession();
  }

  /** Opens the requested session; called again after a sign-in. */
  openSession(): void {
    const { kind, id, at } = this.#start.session;
    const { fork, list } = this.sessionCapabilities;
    if (kind === 'new') this.#new();
    else if (kind === 'resume') this.#resume(id);
    else if (kind === 'continue' && list) this.#continue();
    else if (kind === 'fork' && fork && this.#canForkAt(at) && this.#isSafe('session/fork'))
      this.#fork(id, at);
    else this.#handler.cannotResume();
  }

  #new(): void {
    this.#peer.request('session/new', this.#params(), (outcome) =>
      this.#onSession(outcome, textAt(outcome.result, 'sessionId')),
    );
  }

  #resume(id: string): void {
    const method = this.#resumeMethod();
    if (method === undefined) {
      this.#handler.cannotResume();
      return;
    }
    this.#peer.request(method, { sessionId: id, ...this.#params() }, (outcome) =>
      this.#onSession(outcome, id),
    );
  }

  /** ACP itself can only fork a session in its current state. */
  #canForkAt(at: string | undefined): boolean {
    return at === undefined || forksBeforeMessages(this.#initialized);
  }

  #fork(id: string, at: string | undefined): void {
    const before = at === undefined ? {} : { _meta: { beforeMessageId: at } };
    this.#peer.request('session/fork', { sessionId: id, ...this.#params(), ...before }, (outcome) => {
      const copy = textAt(outcome.result, 'sessionId');
      // Some agents replay the history with the fork, others only when the fork is loaded.
      const isMute =
        copy !== undefined && this.#start.session.replayHistory && !this.#translator.hasReplayedHistory(copy);
      if (isMute && this.#resumeMethod() === 'session/load') this.#resume(copy);
      else this.#onSession(outcome, copy);
    });
  }

  /** The newest session of the directory, or a new one. */
  #continue(): void {
    void listSessions(this.#peer, this.#start.directory).then((sessions) => {
      const [newest] = sessions.toSorted((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0));
      if (!newest) this.#new();
      else this.#resume(newest.id);
    });
  }

  #params(): Fields {
    return sessionParams(this.#start, this.#initialized).params;
  }

  #isSafe(method: string): boolean {
    return !this.#known?.unsafeCalls?.includes(method);
  }

  /**
   * `session/resume` replays nothing, so it is preferred unless the history is wanted. Calls that lose data are never
   * used (H9).
   */
  #resumeMethod(): string | undefined {
    const { loadSession } = recordOf(recordOf(this.#initialized).agentCapabilities);
    const canLoad = loadSession === true && this.#isSafe('session/load');
    if (canLoad && this.#start.session.replayHistory) return 'session/load';
    if (this.sessionCapabilities.resume && this.#isSafe('session/resume')) return 'session/resume';
    return canLoad ? 'session/load' : undefined;
  }

  #onSession({ error }: Outcome, session: string | undefined): void {
    if (error?.code === ERROR.authRequired) {
      this.#handler.signIn();
    } else if (error && this.#start.session.kind !== 'new') {
      this.#handler.cannotResume();
    } else if (error || session === undefined) {
      this.#handler.failed(`no session: ${error ? errorText(error) : 'the agent gave it no name'}`);
    } else {
      this.#translator.quiet(session, true);
      this.#applySettings(session, ['mode', 'model']);
    }
  }

  /** Restores the session's mode and model, if the agent offers them. */
  #applySettings(session: string, [option, ...rest]: readonly ('mode' | 'model')[]): void {
    const facts = this.#translator.info(session);
    if (option === undefined) {
      this.#translator.quiet(session, false);
      this.#handler.opened(session);
      return;
    }
    const value = this.#start[option];
    const offered = value !== undefined && facts?.offers(option, value) && facts.current(option) !== value;
    const setter = offered ? facts?.setter(option, value) : undefined;
    if (!setter) {
      this.#applySettings(session, rest);
      return;
    }
    this.#peer.request(setter.method, { sessionId: session, ...setter.params }, () =>
      this.#applySettings(session, rest),
    );
  }
}
