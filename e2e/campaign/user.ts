/**
 * A user of one session on two pages: sends a prompt, answers requests on both, waits until the session is idle, resolves
 * doubtful prompts, and sends the next. Records everything that was accepted.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { entryById, pendingRequests } from '@tugdeck/protocol/conversation/state';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { pick, type Random } from '../fuzz/random.ts';
import { type Cast, GARBAGE, type PromptKind, promptName, type Words, wordsFor } from './prompts.ts';

export interface Sent extends Words {
  readonly id: string;
}

/** One page's answer to a request, and whether the host took it. */
export interface Answered {
  readonly entry: string;
  readonly by: string;
  readonly behavior: 'allow' | 'deny';
  readonly accepted: boolean;
}

export interface UserOptions {
  readonly cast: Cast;
  /** The same session on several pages; the first one sends. */
  readonly channels: readonly ConversationChannel[];
  readonly random: Random;
  readonly kinds: readonly PromptKind[];
  /** Between two prompts. */
  readonly pauseMs?: () => number;
  readonly restMs?: number;
}

const REST_MS = 180_000;
/** The pause after a refusal. */
const REFUSED_MS = 300;

export class User {
  readonly session: string;
  readonly cast: Cast;
  readonly sent: Sent[] = [];
  readonly answered: Answered[] = [];
  /** Prompts that no host accepted, with the reason. */
  readonly refused: string[] = [];
  /** The longest time from an accepted prompt to its end. */
  longestMs = 0;
  readonly #options: UserOptions;
  readonly #channel: ConversationChannel;
  readonly #isStopped = new AbortController();

  constructor(options: UserOptions) {
    const [channel] = options.channels;
    if (!channel) throw new Error('a user needs a page');
    this.#options = options;
    this.#channel = channel;
    this.session = channel.session;
    this.cast = options.cast;
  }

  stop(): void {
    this.#isStopped.abort();
  }

  async work(): Promise<void> {
    const { kinds, random, pauseMs } = this.#options;
    for (let number = 1; !this.#isStopped.signal.aborted; number++) {
      if (pauseMs) await this.#pause(pauseMs());
      if (this.#isStopped.signal.aborted) return;
      const kind = pick(random, kinds) ?? 'talk';
      const name = promptName(this.session, number);
      await this.#ask(wordsFor(this.cast, kind, name, pick(random, GARBAGE) ?? 'torn'));
    }
  }

  async #pause(ms: number): Promise<void> {
    // Cut short when it is time to stop.
    await delay(ms, undefined, { signal: this.#isStopped.signal }).catch(() => undefined);
  }

  async #ask(words: Words): Promise<void> {
    const id = randomUUID();
    try {
      await this.#channel.send({ kind: 'prompt.send', id, text: words.text });
    } catch (error) {
      this.refused.push(`${words.name}: ${String(error)}`);
      await this.#revive();
      await this.#pause(REFUSED_MS);
      return;
    }
    this.sent.push({ ...words, id });
    const started = performance.now();
    await this.#rest(id);
    this.longestMs = Math.max(this.longestMs, performance.now() - started);
  }

  /** Waits until nothing runs and the prompt's outcome is known. Restarts an agent that stays stopped. */
  async #rest(prompt: string): Promise<void> {
    await waitFor(
      async () => {
        const { conversation } = this.#channel.view.get();
        const entry = entryById(conversation, prompt);
        await this.#revive();
        await this.#answerAll();
        if (entry?.kind !== 'user') return false;
        if (entry.delivery === 'doubted' || entry.delivery === 'failed') {
          await this.#channel.send({ kind: 'prompt.drop', prompt }).catch(() => undefined);
          return false;
        }
        return conversation.turn === null && (entry.delivery === 'delivered' || entry.delivery === 'dropped');
      },
      {
        what: `prompt ${prompt} of ${this.session} to finish`,
        timeoutMs: this.#options.restMs ?? REST_MS,
        intervalMs: 50,
      },
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}; ${this.#stateOf(prompt)}`);
    });
  }

  /** For the report of a prompt that doesn't finish. */
  #stateOf(prompt: string): string {
    const { conversation, phase } = this.#channel.view.get();
    const entry = entryById(conversation, prompt);
    const delivery = entry?.kind === 'user' ? entry.delivery : 'unknown';
    const turn = conversation.turn === null ? 'none' : 'running';
    const pending = pendingRequests(conversation).length;
    return `${this.cast}: page ${phase}, agent ${conversation.agent.state}, delivery ${delivery}, turn ${turn}, ${pending} pending`;
  }

  async #revive(): Promise<void> {
    const { state } = this.#channel.view.get().conversation.agent;
    if (state === 'failed' || state === 'disconnected')
      await this.#channel.send({ kind: 'agent.restart' }).catch(() => undefined);
  }

  /** Different answers on every page at once: one of them must win. */
  async #answerAll(): Promise<void> {
    const { channels, random } = this.#options;
    for (const { id, request } of pendingRequests(this.#channel.view.get().conversation)) {
      const first = random() < 0.8 ? 'allow' : 'deny';
      await Promise.all(
        channels.map(async (channel, at) => {
          const behavior = at === 0 ? first : 'deny';
          const by = `page ${at + 1} ${randomUUID().slice(0, 8)}`;
          const answer = { type: 'permission', behavior } as const;
          const taken = channel.send({ kind: 'request.answer', entry: id, shown: request.shown, answer, by });
          const accepted = await taken.then(
            () => true,
            () => false,
          );
          this.answered.push({ entry: id, by, behavior, accepted });
        }),
      );
    }
  }
}
