/**
 * Opens a connection: the handshake, then a thread (new, resumed, forked or the newest), its history if only the
 * agent has it, then its mode. Sets the sandbox again, which resuming loses.
 */
import { KNOWN_AGENTS } from '@tugdeck/agents/catalog';
import { checkVersion } from '@tugdeck/agents/version-policy';
import { type Fields, recordOf, textAt } from '../kit/fields.ts';
import type { Outcome, Peer } from '../kit/peer.ts';
import type { AgentStart, Output } from '../kit/port.ts';
import { CUSTOM, changedSettings } from './modes.ts';
import { eachPage, findTurn } from './past-turns.ts';
import { listThreads } from './session-list.ts';
import { threadParams } from './thread-params.ts';
import type { Translator } from './translate.ts';

export interface HandshakeHandler {
  emit(outputs: readonly Output[]): void;
  /** The thread is open and configured. */
  opened(thread: string): void;
  warn(text: string): void;
  /** The host starts a new session and adds a notice. */
  cannotResume(): void;
  /** `isFatal`: a retry would fail again. */
  failed(why: string, isFatal?: boolean): void;
}

/** As in the catalog. */
export const PROTOCOL: string = 'app-server';
const CLIENT = { name: 'tugdeck', title: 'Tugdeck', version: '0.1.0' };

export class Handshake {
  readonly #peer: Peer;
  readonly #start: AgentStart;
  readonly #translator: Translator;
  readonly #handler: HandshakeHandler;

  constructor(peer: Peer, start: AgentStart, translator: Translator, handler: HandshakeHandler) {
    this.#peer = peer;
    this.#start = start;
    this.#translator = translator;
    this.#handler = handler;
  }

  start(): void {
    const capabilities = { experimentalApi: true, requestAttestation: false };
    this.#peer.request('initialize', { clientInfo: CLIENT, capabilities }, (outcome) =>
      this.#onInitialize(outcome),
    );
  }

  #onInitialize({ result, error }: Outcome): void {
    if (error) {
      this.#handler.failed(`the handshake failed: ${error.message}`);
      return;
    }
    const version = /\/(\d[^\s]*)/.exec(textAt(result, 'userAgent') ?? '')?.[1];
    const known = KNOWN_AGENTS.find(({ protocol }) => protocol === PROTOCOL);
    const verdict = known ? checkVersion(known, version) : { use: true as const };
    if (!verdict.use) {
      this.#handler.failed(verdict.reason, true);
      return;
    }
    if (verdict.warning !== undefined) this.#handler.warn(verdict.warning);
    this.#peer.notify('initialized', undefined);
    this.#peer.request('model/list', {}, () => undefined);
    this.#openThread();
  }

  #openThread(): void {
    const { kind, id, at } = this.#start.session;
    if (kind === 'new') this.#new();
    else if (kind === 'resume') this.#resume(id);
    else if (kind === 'continue') this.#continue();
    else if (at === undefined) this.#fork(id, {});
    else
      findTurn(this.#peer, id, at, (place) => {
        if (!place) this.#handler.cannotResume();
        else if (place.isBefore && place.isFirst) this.#new();
        else this.#fork(id, place.isBefore ? { beforeTurnId: place.turn } : { lastTurnId: place.turn });
      });
  }

  /** Raw events report calls without an item; only a new thread can request them. */
  #new(): void {
    const params = { ...this.#params(), experimentalRawEvents: true };
    this.#peer.request('thread/start', params, (outcome) => this.#onThread(outcome));
  }

  #resume(threadId: string): void {
    const params = { threadId, excludeTurns: true, ...this.#params() };
    this.#peer.request('thread/resume', params, (outcome) => this.#onThread(outcome));
  }

  #fork(threadId: string, place: Fields): void {
    const params = { threadId, excludeTurns: true, ...place, ...this.#params() };
    this.#peer.request('thread/fork', params, (outcome) => this.#onThread(outcome));
  }

  /** The newest thread of the directory, or a new one. */
  #continue(): void {
    void listThreads(this.#peer, this.#start.directory).then((threads) => {
      const [newest] = threads.toSorted((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0));
      if (newest) this.#resume(newest.id);
      else this.#new();
    });
  }

  #params(): Fields {
    return threadParams(this.#start).params;
  }

  #onThread({ result, error }: Outcome): void {
    const { kind, replayHistory } = this.#start.session;
    const thread = textAt(recordOf(result).thread, 'id');
    if (error && kind !== 'new' && isUnknown(error.message)) {
      this.#handler.cannotResume();
    } else if (error || thread === undefined) {
      this.#handler.failed(error ? reasonOf(error.message) : 'it gave the thread no name');
    } else if (kind !== 'new' && replayHistory) {
      eachPage(
        this.#peer,
        thread,
        (turns) => {
          this.#handler.emit(this.#translator.history(thread, turns));
          return undefined;
        },
        (failure) => {
          if (failure !== undefined) this.#handler.warn(`Couldn’t read the earlier conversation: ${failure}`);
          this.#applyMode(thread);
        },
      );
    } else {
      this.#applyMode(thread);
    }
  }

  /** Restores the session's mode if starting the thread did not set it: the collaboration mode. */
  #applyMode(thread: string): void {
    const { leftOut } = threadParams(this.#start);
    if (this.#start.session.kind === 'new') for (const text of leftOut) this.#handler.warn(text);
    const facts = this.#translator.thread(thread)?.info;
    const { mode } = this.#start;
    const isThere = mode === undefined || mode === CUSTOM || facts?.mode === mode;
    const settings = isThere ? undefined : changedSettings(mode, facts?.model, facts?.effort);
    if (!settings) {
      this.#handler.opened(thread);
      return;
    }
    if (facts) facts.quiet = true;
    this.#peer.request('thread/settings/update', { threadId: thread, ...settings }, ({ error }) => {
      if (facts) facts.quiet = false;
      if (error) this.#handler.warn(`Couldn’t set the mode: ${error.message}`);
      this.#handler.opened(thread);
    });
  }
}

/** The thread does not exist, or the id is not one of the agent's. */
function isUnknown(message: string): boolean {
  return /no rollout found|thread not found|invalid thread id|no such thread/i.test(message);
}

function reasonOf(message: string): string {
  if (/already has an active writer/.test(message))
    return 'another Codex program has this session open: its own interface, or the daemon that this leaves behind. End it there, then restart the agent here';
  return message;
}
