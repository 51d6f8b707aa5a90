/** Replay support of this driver: the same translator, and parsing of sent lines. */
import type { Usage } from '@tugdeck/protocol/conversation/session-info';
import { recordOf, textAt } from '../kit/fields.ts';
import type { Output } from '../kit/port.ts';
import type { ReplayDriver, Replayed, ReplayRun } from '../kit/replay.ts';
import { readMessage } from '../kit/rpc.ts';
import { answerIn } from './replies.ts';
import { promptText, Translator } from './translate.ts';

export const acpReplay: ReplayDriver = {
  speaks(line) {
    return recordOf(line).jsonrpc === '2.0' && readMessage(line).type !== 'unrecognized';
  },
  sessionOf(line) {
    const { params, result } = recordOf(line);
    return textAt(params, 'sessionId') ?? textAt(result, 'sessionId');
  },
  separates: true,
  run(mark, usage, session) {
    return new Run(mark, usage, session);
  },
};

const PROMPTS: ReadonlySet<string> = new Set(['session/prompt', '_session/steering']);

class Run implements ReplayRun {
  readonly #mark: string;
  readonly #only: string | undefined;
  readonly #translator: Translator;
  #prompts = 0;

  constructor(mark: string, usage: Usage, only: string | undefined) {
    this.#mark = mark;
    this.#only = only;
    this.#translator = new Translator({ mark, usage, history: true, only });
  }

  take(line: unknown): Output[] {
    return this.#translator.received(line);
  }

  read(line: unknown): { was?: Replayed; sent: () => Output[] } {
    const message = readMessage(line);
    if (message.type === 'request' && PROMPTS.has(message.method)) {
      const id = `prompt-${this.#mark}-${this.#prompts++}`;
      const session = textAt(message.params, 'sessionId');
      const sent = (): Output[] => this.#translator.sent(message, id);
      if (this.#only !== undefined && session !== this.#only) return { sent };
      return { was: { kind: 'prompt', id, text: promptText(message.params) }, sent };
    }
    if (message.type !== 'response') return { sent: () => this.#translator.sent(message) };
    const request = this.#translator.requestOf(message.id);
    if (!request) return { sent: () => [] };
    const answer = answerIn(request, message.result, message.error !== undefined);
    const sent = (): Output[] => this.#translator.answered(request.entry, answer);
    return answer === undefined ? { sent } : { was: { kind: 'answer', entry: request.entry, answer }, sent };
  }
}
