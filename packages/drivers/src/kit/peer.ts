/**
 * One side of JSON-RPC 2.0 over lines: matches responses to our requests by id. The other side's ids are only passed
 * back. Independent of methods.
 */
import { ERROR, idKey, type Message, type RpcError, type RpcId, readMessage } from './rpc.ts';

export type Outcome =
  | { readonly result: unknown; readonly error?: undefined }
  | { readonly result?: undefined; readonly error: RpcError };

export interface PeerHandler {
  /** A message to write; called before the write. `tag`: from the request's caller. */
  write(line: string, message: Message, tag: string | undefined): void;
  request(id: RpcId, method: string, params: unknown): void;
  /** For protocols without the `jsonrpc` field. */
  readonly unversioned?: boolean;
}

export class Peer {
  readonly #handler: PeerHandler;
  readonly #waiting = new Map<string, (outcome: Outcome) => void>();
  #next = 1;

  constructor(handler: PeerHandler) {
    this.#handler = handler;
  }

  request(method: string, params: unknown, done: (outcome: Outcome) => void, tag?: string): RpcId {
    const id = this.#next++;
    this.#waiting.set(idKey(id), done);
    this.#write({ id, method, params }, tag);
    return id;
  }

  notify(method: string, params: unknown): void {
    this.#write({ method, params });
  }

  respond(id: RpcId, outcome: Outcome): void {
    const body = outcome.error ? { error: outcome.error } : { result: outcome.result ?? null };
    this.#write({ id, ...body });
  }

  /** A parsed message of the other side. */
  take(value: unknown): void {
    const message = readMessage(value);
    if (message.type === 'request') {
      this.#handler.request(message.id, message.method, message.params);
    } else if (message.type === 'response') {
      const done = this.#waiting.get(idKey(message.id));
      this.#waiting.delete(idKey(message.id));
      done?.(message.error ? { error: message.error } : { result: message.result });
    }
  }

  /** The other side is gone: fails all pending requests. */
  close(): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const done of waiting) done({ error: { code: ERROR.cancelled, message: 'The agent ended.' } });
  }

  #write(body: Readonly<Record<string, unknown>>, tag?: string): void {
    const value = this.#handler.unversioned ? body : { jsonrpc: '2.0', ...body };
    this.#handler.write(JSON.stringify(value), readMessage(value), tag);
  }
}
