/** Replay support of this driver: the same translator, and parsing of sent lines. */
import type { Usage } from '@tugdeck/protocol/conversation/session-info';
import { recordOf, textAt } from '../kit/fields.ts';
import type { Output } from '../kit/port.ts';
import type { ReplayDriver, Replayed, ReplayRun } from '../kit/replay.ts';
import { readMessage } from '../kit/rpc.ts';
import { answerIn } from './replies.ts';
import { userText } from './texts.ts';
import { Translator } from './translate.ts';

export const codexReplay: ReplayDriver = {
  /** JSON-RPC without its version. */
  speaks(line) {
    return !('jsonrpc' in recordOf(line)) && readMessage(line).type !== 'unrecognized';
  },
  /** Only threads that a client opened; others are inside them. */
  sessionOf(line) {
    const { method, params, result } = recordOf(line);
    const thread = method === 'thread/started' ? recordOf(params).thread : recordOf(result).thread;
    return textAt(thread, 'id');
  },
  separates: true,
  run(mark, usage, session) {
    return new Run(mark, usage, session);
  },
};

/** Calls that carry a user message. */
const PROMPTS: ReadonlySet<string> = new Set(['turn/start', 'turn/steer', 'thread/queue/add']);

class Run implements ReplayRun {
  readonly #mark: string;
  readonly #only: string | undefined;
  readonly #translator: Translator;
  readonly #known = new Set<string>();
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
      const id = this.#idOf(message.params);
      const thread = textAt(message.params, 'threadId');
      const sent = (): Output[] => this.#translator.sent(message, id);
      if (this.#only !== undefined && thread !== this.#only) return { sent };
      return { was: { kind: 'prompt', id, text: userText(recordOf(message.params).input) }, sent };
    }
    if (message.type !== 'response') return { sent: () => this.#translator.sent(message) };
    const request = this.#translator.requestOf(message.id);
    if (!request) return { sent: () => [] };
    const answer = answerIn(request, message.result, message.error !== undefined);
    const sent = (): Output[] => this.#translator.answered(request.entry, answer);
    return answer === undefined ? { sent } : { was: { kind: 'answer', entry: request.entry, answer }, sent };
  }

  /** The client's id, unless missing or repeated. */
  #idOf(params: unknown): string {
    const own = textAt(params, 'clientUserMessageId');
    const isUsable = own !== undefined && /^[\w-]{1,100}$/.test(own) && !this.#known.has(own);
    const id = isUsable ? own : `prompt-${this.#mark}-${this.#prompts++}`;
    this.#known.add(id);
    return id;
  }
}
