/**
 * The live driver: the agent's process, prompts and answers, and the agent's requests to the client. The translator
 * interprets messages; handshake.ts opens the session. One process serves one session.
 */
import { randomUUID } from 'node:crypto';
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { readAgentLine } from '../kit/agent-line.ts';
import { type Child, startChild } from '../kit/child.ts';
import { recordOf } from '../kit/fields.ts';
import { type Outcome, Peer } from '../kit/peer.ts';
import type {
  Agent,
  AgentExit,
  AgentSession,
  AgentStart,
  ControlAnswer,
  ControlInput,
  Driver,
  DriverSink,
  Output,
  Prompt,
} from '../kit/port.ts';
import { ERROR, type RpcId } from '../kit/rpc.ts';
import { hideSecrets } from '../kit/server-secrets.ts';
import { Files } from './files.ts';
import { Handshake } from './handshake.ts';
import { errorText } from './outcomes.ts';
import { abilitiesOf, promptBlocks } from './prompt-blocks.ts';
import { cancelledReply, replyTo } from './replies.ts';
import { listSessions, requestControl } from './session-list.ts';
import { forksBeforeMessages, sessionParams, withoutSecrets } from './session-params.ts';
import { chosenMethod, methodsOf, signInForm } from './sign-in.ts';
import { Terminals } from './terminals.ts';
import { Translator } from './translate.ts';

const MAX_FILE = 10 * 1024 * 1024;
const MAX_TERMINAL = 1024 * 1024;
const MAX_TERMINALS = 32;
/** Agents wait at least this long before they retry a model request. */
const PAUSE_MS = 400;

export const acpDriver: Driver = {
  protocol: 'acp',
  start(start, sink) {
    return new AcpAgent(start, hideSecrets(sink, start));
  },
};

class AcpAgent implements Agent {
  readonly #sink: DriverSink;
  readonly #translator: Translator;
  readonly #child: Child;
  readonly #peer: Peer;
  readonly #files: Files;
  readonly #terminals: Terminals;
  readonly #handshake: Handshake;
  readonly #directory: string;
  #session: string | undefined;
  #signIn: string | undefined;
  #receivedAt = performance.now();
  #isReady = false;
  #over = false;
  /** Details of an exit that we caused ourselves. */
  #ending: Partial<AgentExit> = {};

  constructor(start: AgentStart, sink: DriverSink) {
    this.#sink = sink;
    this.#directory = start.directory;
    const mark = randomUUID().slice(0, 8);
    this.#translator = new Translator({
      mark,
      usage: start.usage,
      history: start.session.replayHistory === true,
    });
    this.#peer = new Peer({
      write: (line, message, tag) => {
        this.#emit(this.#translator.sent(message, tag));
        this.#write(line);
      },
      request: (id, method, params) => this.#serve(id, method, params),
    });
    this.#files = new Files({
      roots: [start.directory, ...(start.directories ?? [])],
      maxBytes: MAX_FILE,
      missingIsEmpty: () => this.#handshake.known?.readsMissingAsEmpty === true,
    });
    this.#terminals = new Terminals({
      directory: start.directory,
      environment: start.environment,
      maxBytes: MAX_TERMINAL,
      maxTerminals: MAX_TERMINALS,
      output: (terminal, data) =>
        this.#emit(this.#translator.terminalOutput(this.#session ?? '', terminal, data)),
    });
    const { command, args, directory, environment, maxLine } = start;
    this.#child = startChild(
      { command, args, directory, environment, maxLine },
      {
        spawned: (pid) => sink.spawned(pid),
        line: (text) => this.#line(text),
        overlong: (bytes, head) => {
          sink.record('note', `overlong line of ${bytes} bytes: ${head}`);
          this.#emit(this.#translator.drift('line over the limit'));
        },
        stderr: (text) => sink.record('err', text),
        exited: (exit) => this.#exited(exit),
      },
    );
    this.#handshake = new Handshake(this.#peer, start, this.#translator, {
      opened: (session) => {
        this.#session = session;
        // Only for a new session: the notices stay in the conversation after a restart.
        const { leftOut } = sessionParams(start, this.#handshake.initialized);
        if (start.session.kind === 'new') for (const text of leftOut) this.#notice(text, 'warning');
        this.#ready();
      },
      signIn: () => {
        // Ready, so that the start timeout does not apply while the user signs in.
        this.#ready();
        this.#askToSignIn();
      },
      cannotResume: () => {
        this.#ending = { unresumable: true };
        this.#child.endInput();
      },
      failed: (failure, isFatal = false) => {
        this.#ending = isFatal ? { failure, fatal: `It cannot be used: ${failure}.` } : { failure };
        this.#child.endInput();
      },
    });
    this.#handshake.start();
  }

  prompt(prompt: Prompt): void {
    if (this.#session === undefined) {
      const why = 'Sign in first, then send it again.';
      this.#emit([{ kind: 'prompt.progressed', prompt: prompt.id, delivery: 'failed', why }]);
      this.#askToSignIn();
      return;
    }
    const abilities = abilitiesOf(
      this.#handshake.initialized,
      this.#handshake.known?.dropsImagesWithResources === true,
    );
    // Steering: the host only sends this if the agent supports it (A25).
    const isSteered = this.#translator.isRunning(this.#session);
    this.#peer.request(
      isSteered ? '_session/steering' : 'session/prompt',
      {
        sessionId: this.#session,
        prompt: promptBlocks(prompt, abilities),
        ...(forksBeforeMessages(this.#handshake.initialized) ? { _meta: { messageId: prompt.id } } : {}),
      },
      ({ error }) => {
        if (error?.code === ERROR.authRequired) this.#askToSignIn();
        else if (!error) this.#signedIn();
      },
      prompt.id,
    );
  }

  /** Also answers open requests: one agent hangs forever otherwise. */
  cancel(): void {
    if (this.#session === undefined) return;
    this.#peer.notify('session/cancel', { sessionId: this.#session });
    const { requests, outputs } = this.#translator.withdrawAll();
    this.#emit(outputs);
    for (const request of requests) this.#peer.respond(request.rpc, cancelledReply(request));
  }

  answer(entry: RequestEntry, answer: Answer): void {
    if (entry.id === this.#signIn) {
      this.#signIn = undefined;
      this.#authenticate(answer);
      return;
    }
    const request = this.#translator.request(entry.id);
    // The agent has withdrawn it.
    if (!request) return;
    this.#emit(this.#translator.answered(entry.id, answer));
    this.#peer.respond(request.rpc, replyTo(request, answer));
  }

  configure(option: string, value: string): void {
    const session = this.#session;
    const setter = session === undefined ? undefined : this.#translator.info(session)?.setter(option, value);
    if (!setter) {
      this.#emit([
        { kind: 'config.refused', option, why: `The agent doesn’t support changing its ${option}.` },
      ]);
      return;
    }
    this.#peer.request(setter.method, { sessionId: session, ...setter.params }, () => undefined);
  }

  control(what: string, input: ControlInput): Promise<ControlAnswer> {
    if (this.#session === undefined || this.#over)
      return Promise.resolve({ ok: false, text: 'The session hasn’t started yet.' });
    return requestControl(this.#peer, this.#session, what, input);
  }

  sessions(): Promise<readonly AgentSession[]> {
    if (this.#over || !this.#handshake.sessionCapabilities.list) return Promise.resolve([]);
    return listSessions(this.#peer, this.#directory);
  }

  end(): void {
    const { close } = this.#handshake.sessionCapabilities;
    if (this.#session !== undefined && close)
      this.#peer.request('session/close', { sessionId: this.#session }, () => undefined);
    this.#child.endInput();
  }

  #ready(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#sink.ready();
  }

  #askToSignIn(): void {
    if (this.#signIn !== undefined) return;
    const methods = methodsOf(this.#handshake.initialized);
    const outputs = this.#translator.open((id) => {
      this.#signIn = id;
      return signInForm(id, methods, this.#handshake.known?.signIn);
    }, 'sign-in');
    this.#emit(outputs);
  }

  /** A prompt was answered, so the sign-in request is obsolete. */
  #signedIn(): void {
    const entry = this.#signIn;
    this.#signIn = undefined;
    if (entry !== undefined) this.#emit([{ kind: 'request.settled', entry, status: 'withdrawn' }]);
  }

  #authenticate(answer: Answer): void {
    const methodId = chosenMethod(answer, methodsOf(this.#handshake.initialized));
    if (methodId === undefined) return;
    this.#peer.request('authenticate', { methodId }, ({ error }) => {
      this.#notice(error ? `Signing in failed: ${errorText(error)}` : 'Signed in.', error ? 'error' : 'info');
      if (error) this.#askToSignIn();
      else if (this.#session === undefined) this.#handshake.openSession();
    });
  }

  #notice(text: string, level: 'info' | 'warning' | 'error'): void {
    const notice = level === 'error' ? 'error' : 'info';
    this.#emit(
      this.#translator.open(
        (id) => ({ id, kind: 'notice', status: 'complete', notice, level, text }),
        'notice',
      ),
    );
  }

  /** Requests of the agent to the client, not to the user. */
  #serve(id: RpcId, method: string, params: unknown): void {
    const reply = (outcome: Outcome): void => {
      if (!this.#over) this.#peer.respond(id, outcome);
    };
    if (method === 'fs/read_text_file' || method === 'fs/write_text_file') {
      const served = method === 'fs/read_text_file' ? this.#files.read(params) : this.#files.write(params);
      served.then(reply, (error: unknown) =>
        reply({ error: { code: ERROR.internal, message: String(error) } }),
      );
    } else if (method.startsWith('terminal/')) {
      this.#terminals.call(method, params, reply);
    } else if (method.startsWith('_') || method.startsWith('fs/') || method === 'mcp/message') {
      reply({ error: { code: ERROR.methodNotFound, message: `Unsupported method: ${method}` } });
    }
  }

  #line(text: string): void {
    this.#sink.record('out', text);
    const line = readAgentLine(text);
    if ('problem' in line) {
      this.#emit(this.#translator.drift(line.problem));
      return;
    }
    const { value } = line;
    const now = performance.now();
    if (now - this.#receivedAt > PAUSE_MS) this.#translator.paused();
    this.#receivedAt = now;
    const withdrawn = this.#withdrawnBy(value);
    this.#emit(this.#translator.received(value));
    if (withdrawn !== undefined)
      this.#peer.respond(withdrawn, { error: { code: ERROR.cancelled, message: 'Cancelled.' } });
    this.#peer.take(value);
  }

  /** The open request that the agent cancels. */
  #withdrawnBy(value: unknown): RpcId | undefined {
    const { method, params } = recordOf(value);
    if (method !== '$/cancel_request') return undefined;
    const { requestId } = recordOf(params);
    const isId = typeof requestId === 'string' || typeof requestId === 'number';
    return isId ? this.#translator.requestOf(requestId)?.rpc : undefined;
  }

  #exited(exit: AgentExit): void {
    this.#terminals.endAll();
    this.#over = true;
    this.#sink.exited({ ...exit, ...this.#ending });
    this.#peer.close();
  }

  #write(line: string): void {
    if (this.#over) return;
    this.#sink.record('in', withoutSecrets(line));
    this.#child.write(line);
  }

  #emit(outputs: readonly Output[]): void {
    if (outputs.length > 0 && !this.#over) this.#sink.emit(outputs);
  }
}
