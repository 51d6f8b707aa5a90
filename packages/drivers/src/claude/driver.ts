/**
 * The live driver: the agent's process, its handshake, and lines in both directions. Everything that a line
 * means is the translator's; everything that is written is the serializer's.
 */
import { randomUUID } from 'node:crypto';
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { type Child, startChild } from '../kit/child.ts';
import type { Agent, AgentExit, AgentStart, Driver, DriverSink, Output, Prompt } from '../kit/port.ts';
import { launchArguments } from './launch.ts';
import { answerLine, controlLine, promptLine } from './serialize.ts';
import { Translator } from './translate.ts';
import { recordOf, textAt } from './wire.ts';

export const claudeDriver: Driver = {
  protocol: 'stream-json',
  start(start, sink) {
    return new ClaudeAgent(start, sink);
  },
};

class ClaudeAgent implements Agent {
  readonly #start: AgentStart;
  readonly #sink: DriverSink;
  readonly #translator: Translator;
  readonly #child: Child;
  readonly #mark = randomUUID().slice(0, 8);
  #controls = 0;
  #handshake: string | undefined;
  #unresumable = false;

  constructor(start: AgentStart, sink: DriverSink) {
    this.#start = start;
    this.#sink = sink;
    this.#translator = new Translator({ mark: this.#mark, usage: start.usage });
    const { session, mode, model } = start;
    const way = session.kind === 'new' ? { sessionId: session.id } : { resume: session.id };
    this.#child = startChild(
      {
        command: start.command,
        args: [...start.args, ...launchArguments({ ...way, mode, model })],
        directory: start.directory,
        environment: start.environment,
        maxLine: start.maxLine,
      },
      {
        spawned: (pid) => sink.spawned(pid),
        line: (text) => this.#line(text),
        overlong: (bytes, head) => {
          sink.record('note', `overlong line of ${bytes} bytes: ${head}`);
          this.#emit(this.#translator.unreadable('line over the limit'));
        },
        stderr: (text) => sink.record('err', text),
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
    // Withdrawn by the agent in the meantime: there is nobody to tell.
    if (!request) return;
    const line = answerLine(request, answer);
    this.#emit(this.#translator.answered(entry.id, answer));
    this.#write(line);
  }

  configure(option: string, value: string): void {
    this.#control(
      option === 'mode'
        ? { subtype: 'set_permission_mode', mode: value }
        : { subtype: 'set_model', model: value },
    );
  }

  end(): void {
    this.#control({ subtype: 'end_session' });
    this.#child.endInput();
  }

  #control(request: { subtype: string } & Record<string, unknown>): string {
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
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#emit(this.#translator.unreadable('line that is not JSON'));
      return;
    }
    const { type, is_error, response } = recordOf(value);
    const shaking = this.#handshake !== undefined;
    if (shaking && type === 'result' && is_error === true && this.#start.session.kind === 'resume') {
      // No turn was asked for: it has no such session. The host says so in its own words (H9).
      this.#unresumable = true;
      return;
    }
    this.#emit(this.#translator.message(value));
    // Ready by any answer to `initialize`: an agent that refuses it still takes prompts.
    if (shaking && type === 'control_response' && textAt(response, 'request_id') === this.#handshake) {
      this.#handshake = undefined;
      this.#sink.ready();
    }
  }

  #exited(exit: AgentExit): void {
    this.#sink.exited(this.#unresumable ? { ...exit, unresumable: true } : exit);
  }

  #emit(outputs: readonly Output[]): void {
    if (outputs.length > 0) this.#sink.emit(outputs);
  }
}
