/** Replay support of this driver: the same translator, and parsing of sent lines. */
import type { Usage } from '@tugdeck/protocol/conversation/session-info';
import { recordOf, textAt } from '../kit/fields.ts';
import type { Output } from '../kit/port.ts';
import type { ReplayDriver, Replayed, ReplayRun } from '../kit/replay.ts';
import { answerOf, readBack } from './read-back.ts';
import { Translator } from './translate.ts';

export const claudeReplay: ReplayDriver = {
  speaks(line) {
    return typeof recordOf(line).type === 'string' && !('jsonrpc' in recordOf(line));
  },
  sessionOf(line) {
    return textAt(line, 'session_id') || undefined;
  },
  run(mark, usage) {
    return new Run(mark, usage);
  },
};

class Run implements ReplayRun {
  readonly #mark: string;
  readonly #translator: Translator;
  #prompts = 0;

  constructor(mark: string, usage: Usage) {
    this.#mark = mark;
    this.#translator = new Translator({ mark, usage });
  }

  take(line: unknown): Output[] {
    return this.#translator.message(line);
  }

  read(line: unknown): { was?: Replayed; sent: () => Output[] } {
    const read = readBack(line);
    switch (read?.type) {
      case 'prompt': {
        // Other clients send prompts without a uuid.
        const id = read.id ?? `prompt-${this.#mark}-${this.#prompts++}`;
        return {
          was: { kind: 'prompt', id, text: read.text },
          sent: () => this.#translator.prompt(id, read.text),
        };
      }
      case 'control': {
        const sent = (): Output[] => this.#translator.control(read.id, read.request);
        return read.request.subtype === 'end_session' ? { was: { kind: 'farewell' }, sent } : { sent };
      }
      case 'response': {
        const request = this.#translator.request(read.id);
        if (!request) return { sent: () => [] };
        const answer = answerOf(request, read.response, read.failed);
        return {
          was: { kind: 'answer', entry: read.id, answer },
          sent: () => this.#translator.answered(read.id, answer),
        };
      }
      default:
        return { sent: () => [] };
    }
  }
}
