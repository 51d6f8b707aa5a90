/**
 * The feeds this page has open beside its conversations (S1): a channel each on the current link, opened again on
 * the next one. Asks end with the link; whoever keeps something from a feed asks afresh when it is open again.
 * Knows nothing of what is asked or told.
 */
import type { FeedAsk, FeedMessage, FeedName } from '@tugdeck/protocol/wire/feeds';
import {
  ClientError,
  codedError,
  connectionLostError,
  disposedError,
  tooLargeError,
} from './client-error.ts';
import type { DeckRequests } from './deck-requests.ts';
import { type Cell, createCell, type FrameQueue, type Readable } from './store.ts';

/** An error is the server's word why there is nothing to show. */
export type FeedState = 'opening' | 'open' | 'lost' | ClientError;

export interface FeedChannel {
  /** Told after each opening, so that its owner asks for a fresh start. */
  readonly state: Readable<FeedState>;
  /** Waits while the feed is being opened; rejects with a ClientError. */
  ask(ask: object): Promise<unknown>;
  onPush(listener: (push: unknown) => void): () => void;
  onBytes(listener: (data: Uint8Array) => void): () => void;
  /** Whether they went out: bytes are never kept for later. */
  sendBytes(data: Uint8Array): boolean;
  close(): void;
}

export interface FeedsOptions {
  readonly requests: DeckRequests;
  readonly isReady: () => boolean;
  readonly nextChannel: () => number;
  readonly sendAsk: (name: FeedName, channel: number, ask: FeedAsk) => boolean;
  readonly sendBytes: (channel: number, data: Uint8Array) => boolean;
  readonly queue: FrameQueue;
  readonly newId: () => string;
  readonly fault: (why: string) => void;
}

interface Waiting {
  readonly ask: object;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: ClientError) => void;
}

interface Opened {
  readonly name: FeedName;
  readonly about: Readonly<Record<string, unknown>>;
  readonly state: Cell<FeedState>;
  readonly pushes: Set<(push: unknown) => void>;
  readonly bytes: Set<(data: Uint8Array) => void>;
  /** By the id they were sent under. */
  readonly asked: Map<string, Waiting>;
  readonly unsent: Waiting[];
  channel: number | undefined;
}

export class Feeds {
  readonly #options: FeedsOptions;
  readonly #all = new Set<Opened>();
  readonly #routes = new Map<number, Opened>();

  constructor(options: FeedsOptions) {
    this.#options = options;
  }

  open(name: FeedName, about: Readonly<Record<string, unknown>>): FeedChannel {
    const opened: Opened = {
      name,
      about,
      state: createCell<FeedState>('opening', this.#options.queue),
      pushes: new Set(),
      bytes: new Set(),
      asked: new Map(),
      unsent: [],
      channel: undefined,
    };
    this.#all.add(opened);
    this.#start(opened);
    return {
      state: opened.state,
      ask: (ask) => this.#ask(opened, ask),
      onPush: (listener) => listen(opened.pushes, listener),
      onBytes: (listener) => listen(opened.bytes, listener),
      sendBytes: (data) =>
        opened.state.get() === 'open' &&
        opened.channel !== undefined &&
        this.#options.sendBytes(opened.channel, data),
      close: () => this.#close(opened),
    };
  }

  online(): void {
    for (const opened of this.#all) this.#start(opened);
  }

  lost(): void {
    for (const opened of this.#all) this.#detach(opened, 'lost', connectionLostError());
  }

  take(channel: number, message: FeedMessage): void {
    const opened = this.#routes.get(channel);
    if (!opened) return;
    if ('push' in message) {
      for (const listener of [...opened.pushes]) listener(message.push);
      return;
    }
    const waiting = opened.asked.get(message.re);
    opened.asked.delete(message.re);
    if (!waiting) return;
    if ('error' in message) {
      const { code, message: text, hint } = message.error;
      waiting.reject(codedError(code, text, hint));
    } else waiting.resolve(message.value);
  }

  takeBytes(channel: number, data: Uint8Array): void {
    for (const listener of this.#routes.get(channel)?.bytes ?? []) listener(data);
  }

  /** The server says something of a channel outside of its feed: most likely that it knows no such channel. */
  fail(channel: number, error: ClientError): void {
    const opened = this.#routes.get(channel);
    if (!opened) return;
    this.#detach(opened, 'lost', error);
    if (error.code === 'CHANNEL_NOT_OPEN') this.#start(opened);
  }

  dispose(): void {
    for (const opened of this.#all) this.#detach(opened, 'lost', disposedError());
    this.#all.clear();
  }

  #start(opened: Opened): void {
    const { requests, isReady, nextChannel } = this.#options;
    if (!isReady() || opened.channel !== undefined) return;
    const channel = nextChannel();
    opened.channel = channel;
    this.#routes.set(channel, opened);
    opened.state.set('opening');
    requests
      .ask({ type: 'feed.open', channel, feed: opened.name, about: { ...opened.about } }, { lasting: false })
      .then(
        () => {
          if (opened.channel !== channel) return;
          opened.state.set('open');
          for (const waiting of opened.unsent.splice(0)) this.#send(opened, channel, waiting);
        },
        (error: unknown) => {
          if (opened.channel !== channel) return;
          const why = error instanceof ClientError ? error : codedError('INTERNAL_ERROR', String(error));
          this.#detach(opened, why, why);
        },
      );
  }

  #ask(opened: Opened, ask: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { ask, resolve, reject };
      const state = opened.state.get();
      if (state instanceof ClientError) reject(state);
      else if (!this.#all.has(opened)) reject(disposedError());
      else if (state === 'lost') reject(connectionLostError());
      else if (state === 'opening' || opened.channel === undefined) opened.unsent.push(waiting);
      else this.#send(opened, opened.channel, waiting);
    });
  }

  #send(opened: Opened, channel: number, waiting: Waiting): void {
    const id = this.#options.newId();
    opened.asked.set(id, waiting);
    const ask = { id, ask: waiting.ask as Record<string, unknown> };
    if (this.#options.sendAsk(opened.name, channel, ask)) return;
    opened.asked.delete(id);
    waiting.reject(tooLargeError());
  }

  #detach(opened: Opened, state: FeedState, error: ClientError): void {
    if (opened.channel !== undefined) this.#routes.delete(opened.channel);
    opened.channel = undefined;
    opened.state.set(state);
    const waiting = [...opened.asked.values(), ...opened.unsent.splice(0)];
    opened.asked.clear();
    for (const { reject } of waiting) reject(error);
  }

  #close(opened: Opened): void {
    const { channel } = opened;
    this.#all.delete(opened);
    this.#detach(opened, 'lost', disposedError());
    if (channel === undefined) return;
    this.#options.requests
      .ask({ type: 'channel.close', channel }, { lasting: false })
      .catch((error: unknown) => {
        const isGone = error instanceof ClientError && error.code === 'CONNECTION_LOST';
        if (!isGone) this.#options.fault(`channel.close: ${String(error)}`);
      });
  }
}

function listen<T>(listeners: Set<(told: T) => void>, listener: (told: T) => void): () => void {
  // Wrapped, so that the same function given twice is told twice and removed one by one.
  const own = (told: T) => listener(told);
  listeners.add(own);
  return () => {
    listeners.delete(own);
  };
}
