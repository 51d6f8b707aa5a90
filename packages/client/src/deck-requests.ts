/**
 * Requests to the deck and their replies. A lasting one waits while offline and is sent again after a
 * reconnect until it is answered; one that belongs to a connection ends with it.
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
/** What views may ask; the connection's own words are kept out. */
export type DeckRequestInput = Exclude<
  AnyDeckRequest,
  { type: 'hello' } | { type: 'feed.open' } | { type: 'channel.open' } | { type: 'channel.close' }
>;

interface Waiting {
  readonly request: DeckRequest;
  readonly lasting: boolean;
  /** How often it was sent: a second time may find the work done by the first. */
  sent: number;
  readonly resolve: () => void;
  readonly reject: (error: ClientError) => void;
}

/** Errors that only say "your first try worked" when a request was sent twice. */
const DONE_BEFORE: Partial<Record<DeckRequest['type'], ErrorCode>> = {
  'project.add': 'PROJECT_DUPLICATE',
  'project.remove': 'PROJECT_NOT_FOUND',
};

export class DeckRequests {
  readonly #waiting = new Map<string, Waiting>();
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

  ask(input: AnyDeckRequest, { lasting }: { readonly lasting: boolean }): Promise<void> {
    const request = { ...input, id: this.#newId() } as DeckRequest;
    return new Promise((resolve, reject) => {
      if (!lasting && !this.#isReady()) {
        reject(connectionLostError());
        return;
      }
      const waiting: Waiting = { request, lasting, sent: 0, resolve, reject };
      this.#waiting.set(request.id, waiting);
      if (this.#isReady()) this.#sendOne(waiting);
    });
  }

  online(): void {
    for (const waiting of [...this.#waiting.values()]) this.#sendOne(waiting);
  }

  lost(): void {
    for (const { request, lasting, reject } of [...this.#waiting.values()]) {
      if (lasting) continue;
      this.#waiting.delete(request.id);
      reject(connectionLostError());
    }
  }

  take(message: Extract<DeckMessage, { type: 'done' | 'error' }>): void {
    const waiting = message.re === undefined ? undefined : this.#waiting.get(message.re);
    if (!waiting) return;
    const { request, sent, resolve, reject } = waiting;
    this.#waiting.delete(request.id);
    if (message.type === 'done') resolve();
    else if (sent > 1 && DONE_BEFORE[request.type] === message.code) resolve();
    else reject(codedError(message.code, message.message, message.hint));
  }

  dispose(): void {
    for (const { reject } of this.#waiting.values()) reject(disposedError());
    this.#waiting.clear();
  }

  #sendOne(waiting: Waiting): void {
    waiting.sent++;
    if (this.#send(waiting.request)) return;
    this.#waiting.delete(waiting.request.id);
    waiting.reject(tooLargeError());
  }
}
