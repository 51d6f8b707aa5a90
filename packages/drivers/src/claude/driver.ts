/**
 * The live driver: the agent's process, its handshake, and lines in both directions. The translator interprets lines;
 * the serializer creates them.
 */

import { randomUUID } from 'node:crypto';
import { CLAUDE_ENTRYPOINT, findAgent } from '@tugdeck/agents/catalog';
import { checkVersion } from '@tugdeck/agents/version-policy';
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { readAgentLine } from '../kit/agent-line.ts';
import { type Child, startChild } from '../kit/child.ts';
import { recordOf, textAt } from '../kit/fields.ts';
import type {
  Agent,
  AgentExit,
  AgentStart,
  ControlAnswer,
  ControlInput,
  Driver,
  DriverSink,
  Output,
  Prompt,
} from '../kit/port.ts';
import { hideSecrets } from '../kit/server-secrets.ts';
import { untrustedText } from '../kit/untrusted-text.ts';
import { CHANGES_SERVERS, CONTROLS, type ControlRequestBody, TRUST_CONTROL } from './control-requests.ts';
import { acceptFolder } from './folder-trust.ts';
import { externalTurns, messageAt, missingEntries, sessionHistory } from './history-files.ts';
import { canBypass, launchArguments, sessionFlags } from './launch.ts';
import { settingsFor } from './options.ts';
import { answerLine, controlLine, promptLine } from './serialize.ts';
import { Translator } from './translate.ts';

/** A default that the user can override: keeps the session in the agent's own list. */
const ENVIRONMENT = { CLAUDE_CODE_ENTRYPOINT: CLAUDE_ENTRYPOINT };

/** Scheduled prompts are not a setting: without this, the agent would send those of an untrusted project (X6). */
const UNTRUSTED = { CLAUDE_CODE_DISABLE_CRON: '1' };

export const claudeDriver: Driver = {
  protocol: 'stream-json',
  start(start, sink) {
    return new ClaudeAgent(start, hideSecrets(sink, start));
  },
  history: sessionHistory,
  externalTurns,
  missingFrom: missingEntries,
};

interface ControlResult {
  readonly response?: unknown;
  readonly error?: string;
  readonly unsupported?: boolean;
}

class ClaudeAgent implements Agent {
  readonly #start: AgentStart;
  readonly #sink: DriverSink;
  readonly #translator: Translator;
  readonly #child: Child;
  readonly #mark = randomUUID().slice(0, 8);
  #controls = 0;
  #handshake: string | undefined;
  #unresumable = false;
  #gone = false;
  #fatal: string | undefined;
  /** Pending control requests. */
  readonly #waiting = new Map<string, (answered: ControlResult) => void>();

  constructor(start: AgentStart, sink: DriverSink) {
    this.#start = start;
    this.#sink = sink;
    const { session, mode, model } = start;
    const inherits = session.kind !== 'new' && start.usage?.costUsd === undefined;
    this.#translator = new Translator({ mark: this.#mark, usage: start.usage, inherits });
    const at = messageAt(start);
    // A fork before the first message is a new session.
    const way = at === null ? { sessionId: randomUUID() } : sessionFlags({ ...session, at });
    this.#child = startChild(
      {
        command: start.command,
        args: [
          ...start.args,
          ...launchArguments({
            ...way,
            mode,
            model,
            directories: start.directories,
            plugins: start.plugins,
            untrusted: start.untrusted,
            canBypass: canBypass(start.environment, process.getuid?.()),
          }),
        ],
        directory: start.directory,
        environment: { ...ENVIRONMENT, ...start.environment, ...(start.untrusted ? UNTRUSTED : {}) },
        maxLine: start.maxLine,
      },
      {
        spawned: (pid) => sink.spawned(pid),
        line: (text) => this.#line(text),
        overlong: (bytes, head) => {
          this.#sink.record('note', `overlong line of ${bytes} bytes: ${head}`);
          this.#emit(this.#translator.unreadable('line over the limit', head));
        },
        stderr: (text) => this.#onStderr(text),
        exited: (exit) => this.#exited(exit),
      },
    );
    this.#handshake = this.#control({ subtype: 'initialize' });
  }

  prompt(prompt: Prompt): void {
    this.#emit(this.#translator.prompt(prompt.id, prompt.text));
    this.#write(promptLine(prompt));
  }

  cancel(): void {
    this.#control({ subtype: 'interrupt' });
  }

  answer(entry: RequestEntry, answer: Answer): void {
    const request = this.#translator.request(entry.id);
    // The agent has withdrawn it.
    if (!request) return;
    const line = answerLine(request, answer);
    this.#emit(this.#translator.answered(entry.id, answer));
    this.#write(line);
  }

  configure(option: string, value: string): void {
    if (option === 'mode') this.#control({ subtype: 'set_permission_mode', mode: value });
    else if (option === 'model') this.#control({ subtype: 'set_model', model: value });
    else {
      const settings = settingsFor(option, value);
      if (settings) this.#control({ subtype: 'apply_flag_settings', settings });
      else this.#emit([{ kind: 'config.refused', option, why: 'The agent has no such option.' }]);
    }
  }

  async control(what: string, input: ControlInput): Promise<ControlAnswer> {
    if (what === TRUST_CONTROL) return acceptFolder(this.#start);
    const control = Object.hasOwn(CONTROLS, what) ? CONTROLS[what] : undefined;
    const request = control?.request(input);
    if (!control) return { ok: false, text: 'The agent doesn’t offer this.' };
    if (!request) return { ok: false, text: 'The agent doesn’t support this request.' };
    const answer = await this.#request(request);
    if (answer.error !== undefined) {
      if (answer.unsupported) this.#emit(this.#translator.unsupported(what));
      const known = answer.unsupported ? 'This version of the agent doesn’t support this.' : answer.error;
      return { ok: false, text: known };
    }
    // Refreshes the server status.
    if (CHANGES_SERVERS.has(what)) this.#control({ subtype: 'mcp_status' });
    const response = recordOf(answer.response);
    return {
      ok: true,
      text: control.text(response, input),
      data: control.data ? control.data(response) : response,
    };
  }

  #request(request: ControlRequestBody): Promise<ControlResult> {
    if (this.#gone) return Promise.resolve({ error: 'The agent is not running.' });
    return new Promise((resolve) => this.#waiting.set(this.#control(request), resolve));
  }

  end(): void {
    this.#control({ subtype: 'end_session' });
    this.#child.endInput();
  }

  #control(request: ControlRequestBody): string {
    const id = `${this.#mark}-${this.#controls++}`;
    this.#emit(this.#translator.control(id, request));
    this.#write(controlLine(id, request));
    return id;
  }

  #write(line: string): void {
    this.#sink.record('in', line);
    this.#child.write(line);
  }

  #line(text: string): void {
    this.#sink.record('out', text);
    const line = readAgentLine(text);
    if ('problem' in line) {
      this.#emit(this.#translator.unreadable(line.problem, text));
      return;
    }
    const { value } = line;
    const { type, is_error, response } = recordOf(value);
    const shaking = this.#handshake !== undefined;
    if (shaking && type === 'result' && is_error === true && this.#start.session.kind !== 'new') {
      // No turn was requested, so the session does not exist. The host adds its own notice (H9).
      this.#unresumable = true;
      return;
    }
    this.#emit(this.#translator.message(value));
    // Any response to `initialize` means ready: an agent that rejects it still takes prompts.
    if (shaking && type === 'control_response' && textAt(response, 'request_id') === this.#handshake) {
      this.#handshake = undefined;
      this.#onInitialize(textAt(recordOf(response).response, 'claude_code_version'));
    }
    if (type === 'control_response') this.#answered(recordOf(response));
  }

  #onInitialize(version: string | undefined): void {
    const known = findAgent('claude');
    const verdict = known ? checkVersion(known, version) : { use: true as const };
    if (!verdict.use) {
      this.#fatal = verdict.reason;
      this.end();
      return;
    }
    if (verdict.warning !== undefined) this.#emit(this.#translator.warn(verdict.warning));
    this.#control({ subtype: 'get_settings' });
    const { mcpServers = {} } = this.#start;
    if (Object.keys(mcpServers).length === 0) this.#sink.ready();
    else void this.#registerServers(mcpServers).then(() => this.#gone || this.#sink.ready());
  }

  /** Not on the command line, which every user of the machine can read, because they may contain keys. */
  async #registerServers(servers: NonNullable<AgentStart['mcpServers']>): Promise<void> {
    const { error, response } = await this.#request({ subtype: 'mcp_set_servers', servers });
    const errors = Object.entries(recordOf(recordOf(response).errors));
    const faults =
      error === undefined ? errors.map(([name, why]) => `${name}: ${untrustedText(why)}`) : [error];
    for (const why of faults) this.#emit(this.#translator.warn(`MCP server not started. ${why}`));
    this.#control({ subtype: 'mcp_status' });
  }

  /** Warns once about saved rules that have no effect (X6). */
  #onStderr(text: string): void {
    this.#sink.record('err', text);
    if (this.#start.session.kind === 'resume') return;
    const ignored = /^Ignoring \d+ permissions\.\w+ entr(?:y|ies)[^\n]*/m.exec(text)?.[0];
    if (ignored !== undefined) this.#emit(this.#translator.warn(`${ignored} Type /trust to accept it here.`));
  }

  #answered(response: Readonly<Record<string, unknown>>): void {
    const id = textAt(response, 'request_id') ?? '';
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (response.subtype !== 'error') resolve?.({ response: response.response });
    else {
      const error = textAt(response, 'error') ?? 'The agent refused.';
      resolve?.({ error, unsupported: response.error_code === 'unsupported_request' });
    }
  }

  #exited(exit: AgentExit): void {
    this.#gone = true;
    for (const resolve of this.#waiting.values()) resolve({ error: 'The agent stopped.' });
    this.#waiting.clear();
    this.#sink.exited({
      ...exit,
      ...(this.#unresumable ? { unresumable: true } : {}),
      ...(this.#fatal === undefined ? {} : { fatal: this.#fatal }),
    });
  }

  #emit(outputs: readonly Output[]): void {
    if (outputs.length > 0) this.#sink.emit(outputs);
  }
}
