/** A terminal user: types a word, waits for its echo, and opens another terminal when this one is gone. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@tugdeck/client/client';
import type { FeedChannel } from '@tugdeck/client/feeds';
import { waitFor } from '@tugdeck/testkit/process-facts';

const PATIENCE_MS = 15_000;
/** This many unusable terminals in a row are a failure. */
const MOST_FAILURES = 60;

export class TerminalUser {
  /** Words echoed. */
  echoes = 0;
  opened = 0;
  readonly #client: Client;
  #isDone = false;

  constructor(client: Client) {
    this.#client = client;
  }

  stop(): void {
    this.#isDone = true;
  }

  async work(): Promise<void> {
    const project = await waitFor(() => this.#client.deck.get()?.projects[0]?.id, { what: 'the project' });
    let failures = 0;
    let why: unknown;
    while (!this.#isDone) {
      const before = this.echoes;
      await this.#use(project).catch((error: unknown) => {
        why = error;
      });
      failures = this.echoes > before ? 0 : failures + 1;
      if (failures > MOST_FAILURES) throw new Error(`no terminal can be used: ${String(why)}`);
      await delay(100);
    }
  }

  /** Until the terminal is gone or the user stops. */
  async #use(project: string): Promise<void> {
    const terminal = randomUUID();
    const list = this.#client.openFeed('terminal', { project });
    const feed = this.#client.openFeed('terminal', { project, terminal });
    let output = '';
    let isGone = false;
    feed.onBytes((data) => {
      output = (output + Buffer.from(data).toString('latin1')).slice(-20_000);
    });
    feed.onPush((push) => {
      isGone ||= (push as { type?: unknown }).type === 'gone';
    });
    try {
      const size = { cols: 80, rows: 24 };
      await within(list.request({ type: 'create', terminal, runs: { type: 'shell' }, size }));
      this.opened += 1;
      await within(feed.request({ type: 'attach' }));
      while (!this.#isDone && !isGone && feed.state.get() === 'open') {
        const word = randomUUID();
        // Split, so that the typed line doesn't match as the printed line.
        type(feed, `echo ${word.slice(0, 8)}''${word.slice(8)}\r`);
        await waitFor(() => isGone || feed.state.get() !== 'open' || output.includes(word), {
          what: 'the terminal to answer',
          timeoutMs: PATIENCE_MS,
        });
        if (output.includes(word)) this.echoes += 1;
        await delay(300);
      }
      await within(list.request({ type: 'close', terminal }));
    } finally {
      list.close();
      feed.close();
    }
  }
}

function type(feed: FeedChannel, words: string): void {
  feed.sendBytes(new TextEncoder().encode(words));
}

async function within<T>(promise: Promise<T>): Promise<T> {
  const timer = delay(PATIENCE_MS, undefined, { ref: false }).then(() => {
    throw new Error('nobody answered');
  });
  return Promise.race([promise, timer]);
}
