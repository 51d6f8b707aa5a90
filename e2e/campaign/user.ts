/**
 * Somebody who works in one session: sends a prompt, waits until it has come to rest, settles what is in doubt, sends
 * the next. Remembers everything that was accepted, for the judgement at the end.
 */
import { randomUUID } from 'node:crypto';
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { entryById } from '@tugdeck/protocol/conversation/state';
import { waitFor } from '@tugdeck/testkit/process-facts';

export interface Sent {
  readonly id: string;
  readonly text: string;
}

const REST_MS = 120_000;

export class User {
  readonly session: string;
  readonly sent: Sent[] = [];
  readonly #channel: ConversationChannel;
  #isDone = false;

  constructor(channel: ConversationChannel) {
    this.session = channel.session;
    this.#channel = channel;
  }

  stop(): void {
    this.#isDone = true;
  }

  async work(): Promise<void> {
    for (let number = 1; !this.#isDone; number++) {
      const id = randomUUID();
      const text = `SCN:campaign ${this.session.slice(0, 8)}-${number}.`;
      await this.#channel.send({ kind: 'prompt.send', id, text });
      this.sent.push({ id, text });
      await this.#rest(id);
    }
  }

  /** Until nothing runs and the prompt's fate is known. What died for good is started again by hand. */
  async #rest(prompt: string): Promise<void> {
    await waitFor(
      async () => {
        const { conversation } = this.#channel.view.get();
        const entry = entryById(conversation, prompt);
        if (conversation.agent.state === 'failed' || conversation.agent.state === 'disconnected')
          await this.#channel.send({ kind: 'agent.restart' }).catch(() => undefined);
        if (entry?.kind !== 'user') return false;
        if (entry.delivery === 'doubted' || entry.delivery === 'failed') {
          await this.#channel.send({ kind: 'prompt.drop', prompt }).catch(() => undefined);
          return false;
        }
        return conversation.turn === null && (entry.delivery === 'delivered' || entry.delivery === 'dropped');
      },
      { what: `prompt ${prompt} of ${this.session} to come to rest`, timeoutMs: REST_MS, intervalMs: 50 },
    );
  }
}
