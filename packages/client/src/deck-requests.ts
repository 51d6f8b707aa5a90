/**
 * Requests to the server and their replies. A persistent request waits while offline and is resent after a
 * reconnect until it is answered; the others fail when the connection is lost.
 */
import type { DeckMessage, DeckRequest } from '@tugdeck/protocol/wire/deck';
import type { ErrorCode } from '@tugdeck/protocol/wire/error-codes';
import {
  type ClientError,
  codedError,
  connectionLostError,
  disposedError,
  tooLargeError,
} from './client-error.ts';

type WithoutId<R> = R extends unknown ? Omit<R, 'id'> : never;
export type AnyDeckRequest = WithoutId<DeckRequest>;
/** The requests that views may send; the connection's own are excluded. */
export type DeckRequestInput = Exclude<
  AnyDeckRequest,
  { type: 'hello' } | { type: 'feed.open' } | { type: 'channel.open' } | { type: 'channel.close' }
>;

interface PendingRequest {
  readonly request: DeckRequest;
  readonly persistent: boolean;
  /** How often it was sent: the first attempt may have succeeded unseen. */
  sent: number;
  readonly resolve: () => void;
  readonly reject: (error: ClientError) => void;
}

/** Errors that mean the first attempt of a repeated request succeeded. */
const ALREADY_DONE: Partial<Record<DeckRequest['type'], ErrorCode>> = {
  'project.add': 'PROJECT_DUPLICATE',
  'project.remove': 'PROJECT_NOT_FOUND',
};

export class DeckRequests {
  readonly #pending = new Map<string, PendingRequest>();
  readonly #send: (request: DeckRequest) => boolean;
  readonly #isReady: () => boolean;
  readonly #newId: () => string;

  constructor(options: {
    readonly send: (request: DeckRequest) => boolean;
    readonly isReady: () => boolean;
    readonly newId: () => string;
  }) {
    this.#send = options.send;
    this.#isReady = options.isReady;
    this.#newId = options.newId;
  }

  send(input: AnyDeckRequest, { persistent }: { readonly persistent: boolean }): Promise<void> {
    const request = { ...input, id: this.#newId() } as DeckRequest;
    return new Promise((resolve, reject) => {
      if (!persistent && !this.#isReady()) {
        reject(connectionLostError());
        return;
      }
      const pending: PendingRequest = { request, persistent: persistent, sent: 0, resolve, reject };
      this.#pending.set(request.id, pending);
      if (this.#isReady()) this.#sendOne(pending);
    });
  }

  online(): void {
    for (const pending of [...this.#pending.values()]) this.#sendOne(pending);
  }

  lost(): void {
    for (const { request, persistent, reject } of [...this.#pending.values()]) {
      if (persistent) continue;
      this.#pending.delete(request.id);
      reject(connectionLostError());
    }
  }

  receive(message: Extract<DeckMessage, { type: 'done' | 'error' }>): void {
    const pending = message.re === undefined ? undefined : this.#pending.get(message.re);
    if (!pending) return;
    const { request, sent, resolve, reject } = pending;
    this.#pending.delete(request.id);
    if (message.type === 'done') resolve();
    else if (sent > 1 && ALREADY_DONE[request.type] === message.code) resolve();
    else reject(codedError(message.code, message.message, message.hint));
  }

  dispose(): void {
    for (const { reject } of this.#pending.values()) reject(disposedError());
    this.#pending.clear();
  }

  #sendOne(pending: PendingRequest): void {
    pending.sent++;
    if (this.#send(pending.request)) return;
    this.#pending.delete(pending.request.id);
    pending.reject(tooLargeError());
  }
}
