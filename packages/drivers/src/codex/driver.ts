/**
 * The live driver for `codex app-server`: the agent's process, prompts and answers, and the agent's requests to the
 * client. The translator interprets messages; handshake.ts opens the thread. One process serves one session, so that
 * a fault affects only that session.
 */
import { randomUUID } from 'node:crypto';
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { readAgentLine } from '../kit/agent-line.ts';
import { type Child, startChild } from '../kit/child.ts';
import { recordOf, textAt } from '../kit/fields.ts';
import { Peer } from '../kit/peer.ts';
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
import { COMMANDS, CONTROL_NAMES, CONTROLS, commandCall, serversOf } from './controls.ts';
import { Handshake, PROTOCOL } from './handshake.ts';
import { changedSettings } from './modes.ts';
import { promptInput } from './prompt-input.ts';
import { replyTo } from './replies.ts';
import { externalTurns, missingEntries } from './rollout-files.ts';
import { listThreads } from './session-list.ts';
import { chosenWay, needsSignIn, signInForm, whereToSignIn } from './sign-in.ts';
import { isTooLate, Translator } from './translate.ts';
import { TurnStopper } from './turn-stopper.ts';

export const codexDriver: Driver = {
  protocol: PROTOCOL,
  start(start, sink) {
    return new CodexAgent(start, hideSecrets(sink, start));
  },
  externalTurns,
  missingFrom: missingEntries,
};

/** Requests for client features that we do not offer. */
const NOT_OFFERED = new Set([
  'item/tool/call',
  'attestation/generate',
  'account/chatgptAuthTokens/refresh',
  'applyPatchApproval',
  'execCommandApproval',
]);

class CodexAgent implements Agent {
  readonly #sink: DriverSink;
  readonly #translator: Translator;
  readonly #child: Child;
  readonly #peer: Peer;
  readonly #stopper: TurnStopper;
  readonly #directory: string;
  #thread: string | undefined;
  #signIn: string | undefined;
  #isSignedOut = false;
  #over = false;
  /** Details of an exit that we caused ourselves. */
  #ending: Partial<AgentExit> = {};

  constructor(start: AgentStart, sink: DriverSink) {
    this.#sink = sink;
    this.#directory = start.directory;
    this.#translator = new Translator({
      mark: randomUUID().slice(0, 8),
      usage: start.usage,
      history: false,
      resends: true,
    });
    this.#peer = new Peer({
      unversioned: true,
      write: (line, message, tag) => {
        this.#emit(this.#translator.sent(message, tag));
        this.#write(line);
      },
      request: (id, method) => this.#serve(id, method),
    });
    this.#stopper = new TurnStopper(this.#peer, this.#translator);
    const { command, args, directory, environment, maxLine } = start;
    this.#child = startChild(
      { command, args, directory, environment, maxLine },
      {
        spawned: (pid) => sink.spawned(pid),
        line: (text) => this.#line(text),
        overlong: (bytes, head) => {
          this.#sink.record('note', `overlong line of ${bytes} bytes: ${head}`);
          this.#emit(this.#translator.drift('line over the limit'));
        },
        stderr: (text) => this.#sink.record('err', text),
        exited: (exit) => this.#exited(exit),
      },
    );
    new Handshake(this.#peer, start, this.#translator, {
      emit: (outputs) => this.#emit(outputs),
      opened: (thread) => this.#opened(thread),
      warn: (text) => this.#notice(text, 'warning'),
      cannotResume: () => this.#abort({ unresumable: true }),
      failed: (failure, isFatal = false) =>
        this.#abort(isFatal ? { failure, fatal: `It cannot be used: ${failure}` } : { failure }),
    }).start();
  }

  prompt(prompt: Prompt): void {
    const threadId = this.#thread;
    if (threadId === undefined || this.#isSignedOut) {
      const why = 'Sign in first, then send it again.';
      this.#emit([{ kind: 'prompt.progressed', prompt: prompt.id, delivery: 'failed', why }]);
      this.#askToSignIn();
      return;
    }
    const command = commandCall(prompt.text, threadId);
    if (command) {
      this.#peer.request(command.method, command.params, () => undefined, prompt.id);
      return;
    }
    const turn = this.#translator.thread(threadId)?.turns.name;
    const input = promptInput(prompt);
    const message = { threadId, clientUserMessageId: prompt.id, input };
    // A turn that is just starting has no id yet: then a second start joins it.
    if (turn === undefined) this.#peer.request('turn/start', message, () => undefined, prompt.id);
    else
      this.#peer.request(
        'turn/steer',
        { ...message, expectedTurnId: turn },
        ({ error }) => {
          if (isTooLate('turn/steer', error))
            this.#peer.request('turn/start', message, () => undefined, prompt.id);
        },
        prompt.id,
      );
  }

  cancel(): void {
    const thread = this.#translator.thread(this.#thread);
    if (thread) this.#stopper.stop(thread);
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
    const thread = this.#translator.thread(this.#thread);
    const settings =
      option === 'mode'
        ? changedSettings(value, thread?.info.model, thread?.info.effort)
        : option === 'model' || option === 'effort'
          ? { [option]: value }
          : undefined;
    if (!thread || !settings) {
      this.#emit([
        { kind: 'config.refused', option, why: `The agent doesn’t support changing its ${option}.` },
      ]);
      return;
    }
    this.#peer.request('thread/settings/update', { threadId: thread.id, ...settings }, ({ error }) => {
      if (error) this.#emit([{ kind: 'config.refused', option, why: error.message }]);
    });
  }

  async control(what: string, input: ControlInput): Promise<ControlAnswer> {
    const threadId = this.#thread;
    if (threadId === undefined || this.#over) return { ok: false, text: 'The session hasn’t started yet.' };
    if (what === 'diff') {
      const diff = this.#translator.thread(threadId)?.lastDiff ?? '';
      return { ok: true, text: diff === '' ? 'The last turn changed no files.' : diff };
    }
    if (what === 'sign-in') {
      this.#askToSignIn();
      return { ok: true, text: 'Choose how to sign in.' };
    }
    const control = Object.hasOwn(CONTROLS, what) ? CONTROLS[what] : undefined;
    const call = control?.(input, threadId, this.#directory);
    if (!call) return { ok: false, text: 'Codex doesn’t support this request.' };
    return new Promise((resolve) => {
      this.#peer.request(call.method, call.params, ({ error, result }) => {
        const fields = recordOf(result);
        const info = this.#translator.thread(threadId)?.info;
        if (info && !error && what === 'mcp.status')
          this.#emit([{ kind: 'session.described', facts: info.serversListed(serversOf(fields)) }]);
        resolve(
          error
            ? { ok: false, text: error.message }
            : { ok: true, text: call.text(fields), data: call.data ? call.data(fields) : result },
        );
      });
    });
  }

  sessions(): Promise<readonly AgentSession[]> {
    return this.#over ? Promise.resolve([]) : listThreads(this.#peer, this.#directory);
  }

  end(): void {
    this.#child.endInput();
  }

  #opened(thread: string): void {
    this.#thread = thread;
    this.#emit([
      { kind: 'session.described', facts: { controls: [...CONTROL_NAMES], commands: [...COMMANDS] } },
    ]);
    this.#peer.request('account/read', {}, ({ result }) => {
      this.#isSignedOut = needsSignIn(result);
      if (this.#isSignedOut) this.#askToSignIn();
    });
    this.#sink.ready();
  }

  #abort(ending: Partial<AgentExit>): void {
    this.#ending = ending;
    this.#child.endInput();
  }

  #askToSignIn(): void {
    if (this.#signIn !== undefined) return;
    this.#emit(
      this.#translator.open((id) => {
        this.#signIn = id;
        return signInForm(id);
      }, 'sign-in'),
    );
  }

  #authenticate(answer: Answer): void {
    const type = chosenWay(answer);
    if (type === undefined) return;
    this.#peer.request('account/login/start', { type }, ({ result, error }) => {
      if (error) this.#notice(`Signing in failed: ${error.message}`, 'error');
      else this.#notice(whereToSignIn(result), 'info');
    });
  }

  /** Signed in, here or elsewhere: the sign-in request is obsolete. */
  #signedIn(): void {
    this.#isSignedOut = false;
    const entry = this.#signIn;
    this.#signIn = undefined;
    if (entry !== undefined) this.#emit([{ kind: 'request.settled', entry, status: 'withdrawn' }]);
  }

  #notice(text: string, level: 'info' | 'warning' | 'error'): void {
    const notice = level === 'info' ? 'info' : 'error';
    this.#emit(
      this.#translator.open(
        (id) => ({ id, kind: 'notice', status: 'complete', notice, level, text }),
        'notice',
      ),
    );
  }

  /** Requests of the agent to the client, not to the user. */
  #serve(id: RpcId, method: string): void {
    const isTime = method === 'currentTime/read';
    if (!isTime && !NOT_OFFERED.has(method)) return;
    const request = this.#translator.requestOf(id);
    if (request) this.#emit(this.#translator.answered(request.entry, undefined));
    if (isTime) this.#peer.respond(id, { result: { currentTimeAt: Math.floor(Date.now() / 1000) } });
    else
      this.#peer.respond(id, {
        error: { code: ERROR.methodNotFound, message: `Unsupported method: ${method}` },
      });
  }

  #line(text: string): void {
    this.#sink.record('out', text);
    const line = readAgentLine(text);
    if ('problem' in line) {
      this.#emit(this.#translator.drift(line.problem));
      return;
    }
    const { value } = line;
    this.#emit(this.#translator.received(value));
    this.#peer.take(value);
    const { method, params } = recordOf(value);
    if (method === 'account/updated' && textAt(params, 'authMode') !== undefined) this.#signedIn();
    const thread = this.#translator.thread(this.#thread);
    if (thread) this.#stopper.onMessage(thread);
  }

  #exited(exit: AgentExit): void {
    this.#over = true;
    this.#sink.exited({ ...exit, ...this.#ending });
    this.#peer.close();
  }

  #write(line: string): void {
    if (this.#over) return;
    this.#sink.record('in', line);
    this.#child.write(line);
  }

  #emit(outputs: readonly Output[]): void {
    if (outputs.length > 0 && !this.#over) this.#sink.emit(outputs);
  }
}
