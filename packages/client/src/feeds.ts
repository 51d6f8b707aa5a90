/**
 * The feeds this page has open beside its conversations (S1): each has a channel on the current link and is
 * reopened on the next. Requests end with the link; owners request their state again once the feed is open. Does
 * not interpret messages.
 */
import type { FeedAsk, FeedMessage } from '@tugdeck/protocol/wire/feeds';
import {
  ClientError,
  codedError,
  connectionLostError,
  disposedError,
  tooLargeError,
} from './client-error.ts';
import type { DeckRequests } from './deck-requests.ts';
import { type Cell, createCell, type FrameQueue, type Readable } from './store.ts';

/** An error is the server's reason why the feed cannot be opened. */
export type FeedState = 'opening' | 'open' | 'lost' | ClientError;

export interface FeedChannel {
  /** Notifies after each opening, so that the owner can request its state again. */
  readonly state: Readable<FeedState>;
  /** Waits while the feed is opening; rejects with a ClientError. */
  request(body: object): Promise<unknown>;
  onPush(listener: (push: unknown) => void): () => void;
  onBytes(listener: (data: Uint8Array) => void): () => void;
  /** Returns whether the bytes were sent; they are never queued. */
  sendBytes(data: Uint8Array): boolean;
  close(): void;
}

export interface FeedsOptions {
  readonly requests: DeckRequests;
  readonly isReady: () => boolean;
  readonly nextChannel: () => number;
  readonly sendRequest: (name: string, channel: number, request: FeedAsk) => boolean;
  readonly sendBytes: (channel: number, data: Uint8Array) => boolean;
  readonly queue: FrameQueue;
  readonly newId: () => string;
  readonly fault: (why: string) => void;
}

/** After a start, the server knows the projects of another machine only once that is reached. */
const UNKNOWN: ReadonlySet<ClientError['code']> = new Set(['PROJECT_NOT_FOUND', 'WORKSPACE_NOT_FOUND']);

interface PendingRequest {
  readonly body: object;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: ClientError) => void;
}

interface OpenFeed {
  readonly name: string;
  readonly about: Readonly<Record<string, unknown>>;
  readonly state: Cell<FeedState>;
  readonly pushes: Set<(push: unknown) => void>;
  readonly bytes: Set<(data: Uint8Array) => void>;
  /** By request id. */
  readonly pending: Map<string, PendingRequest>;
  readonly unsent: PendingRequest[];
  channel: number | undefined;
}

export class Feeds {
  readonly #options: FeedsOptions;
  readonly #all = new Set<OpenFeed>();
  readonly #routes = new Map<number, OpenFeed>();

  constructor(options: FeedsOptions) {
    this.#options = options;
  }

  open(name: string, about: Readonly<Record<string, unknown>>): FeedChannel {
    const feed: OpenFeed = {
      name,
      about,
      state: createCell<FeedState>('opening', this.#options.queue),
      pushes: new Set(),
      bytes: new Set(),
      pending: new Map(),
      unsent: [],
      channel: undefined,
    };
    this.#all.add(feed);
    this.#start(feed);
    return {
      state: feed.state,
      request: (body) => this.#request(feed, body),
      onPush: (listener) => listen(feed.pushes, listener),
      onBytes: (listener) => listen(feed.bytes, listener),
      sendBytes: (data) =>
        feed.state.get() === 'open' &&
        feed.channel !== undefined &&
        this.#options.sendBytes(feed.channel, data),
      close: () => this.#close(feed),
    };
  }

  online(): void {
    for (const feed of this.#all) this.#start(feed);
  }

  /** The deck lists this project or workspace: a feed about it that was unknown to the server may be known now. */
  listed(ids: ReadonlySet<string>): void {
    for (const feed of this.#all) {
      const state = feed.state.get();
      if (!(state instanceof ClientError) || !UNKNOWN.has(state.code)) continue;
      if (ids.has(String(feed.about.project))) this.#start(feed);
    }
  }

  lost(): void {
    for (const feed of this.#all) this.#detach(feed, 'lost', connectionLostError());
  }

  receive(channel: number, message: FeedMessage): void {
    const feed = this.#routes.get(channel);
    if (!feed) return;
    if ('push' in message) {
      for (const listener of [...feed.pushes]) listener(message.push);
      return;
    }
    const pending = feed.pending.get(message.re);
    feed.pending.delete(message.re);
    if (!pending) return;
    if ('error' in message) {
      const { code, message: text, hint } = message.error;
      pending.reject(codedError(code, text, hint));
    } else pending.resolve(message.value);
  }

  receiveBytes(channel: number, data: Uint8Array): void {
    for (const listener of this.#routes.get(channel)?.bytes ?? []) listener(data);
  }

  /** Handles a server error about a channel, usually that the channel is not open. */
  fail(channel: number, error: ClientError): void {
    const feed = this.#routes.get(channel);
    if (!feed) return;
    this.#detach(feed, 'lost', error);
    if (error.code === 'CHANNEL_NOT_OPEN') this.#start(feed);
  }

  dispose(): void {
    for (const feed of this.#all) this.#detach(feed, 'lost', disposedError());
    this.#all.clear();
  }

  #start(feed: OpenFeed): void {
    const { requests, isReady, nextChannel } = this.#options;
    if (!isReady() || feed.channel !== undefined) return;
    const channel = nextChannel();
    feed.channel = channel;
    this.#routes.set(channel, feed);
    feed.state.set('opening');
    requests
      .send({ type: 'feed.open', channel, feed: feed.name, about: { ...feed.about } }, { persistent: false })
      .then(
        () => {
          if (feed.channel !== channel) return;
          feed.state.set('open');
          for (const pending of feed.unsent.splice(0)) this.#send(feed, channel, pending);
        },
        (error: unknown) => {
          if (feed.channel !== channel) return;
          const why = error instanceof ClientError ? error : codedError('INTERNAL_ERROR', String(error));
          this.#detach(feed, why, why);
        },
      );
  }

  #request(feed: OpenFeed, body: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const pending: PendingRequest = { body, resolve, reject };
      const state = feed.state.get();
      if (state instanceof ClientError) reject(state);
      else if (!this.#all.has(feed)) reject(disposedError());
      else if (state === 'lost') reject(connectionLostError());
      else if (state === 'opening' || feed.channel === undefined) feed.unsent.push(pending);
      else this.#send(feed, feed.channel, pending);
    });
  }

  #send(feed: OpenFeed, channel: number, pending: PendingRequest): void {
    const id = this.#options.newId();
    feed.pending.set(id, pending);
    const request = { id, ask: pending.body as Record<string, unknown> };
    if (this.#options.sendRequest(feed.name, channel, request)) return;
    feed.pending.delete(id);
    pending.reject(tooLargeError());
  }

  #detach(feed: OpenFeed, state: FeedState, error: ClientError): void {
    if (feed.channel !== undefined) this.#routes.delete(feed.channel);
    feed.channel = undefined;
    feed.state.set(state);
    const pending = [...feed.pending.values(), ...feed.unsent.splice(0)];
    feed.pending.clear();
    for (const { reject } of pending) reject(error);
  }

  #close(feed: OpenFeed): void {
    const { channel } = feed;
    this.#all.delete(feed);
    this.#detach(feed, 'lost', disposedError());
    if (channel === undefined) return;
    this.#options.requests
      .send({ type: 'channel.close', channel }, { persistent: false })
      .catch((error: unknown) => {
        const isGone = error instanceof ClientError && error.code === 'CONNECTION_LOST';
        if (!isGone) this.#options.fault(`channel.close: ${String(error)}`);
      });
  }
}

function listen<T>(listeners: Set<(value: T) => void>, listener: (value: T) => void): () => void {
  // Wrapped, so that a function added twice is called twice and removed separately.
  const own = (value: T) => listener(value);
  listeners.add(own);
  return () => {
    listeners.delete(own);
  };
}
