/** A second client on a session host's socket, beside the server: records when the host published each message. */
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { LedgerRecord } from '@tugdeck/local/ledger';
import type { HostMessage, HostRequestInput } from '@tugdeck/protocol/wire/host-link';
import { HOST_LINK_VERSION } from '@tugdeck/protocol/wire/version';

type MessageOf<T extends HostMessage['type']> = Extract<HostMessage, { type: T }>;
/** A hanging run would report nothing. */
const PATIENCE_MS = 60_000;

export type Listener = (message: HostMessage, at: number) => void;

export class HostTap {
  readonly #socket;
  readonly #listener: Listener;

  constructor(
    { socket, secret }: Pick<LedgerRecord, 'socket' | 'secret'>,
    listener: Listener = () => undefined,
  ) {
    this.#socket = connect(socket ?? '');
    this.#listener = listener;
    this.#socket.on('error', (error) => {
      throw error;
    });
    this.send({ type: 'protocol_init', version: HOST_LINK_VERSION, secret });
    createInterface({ input: this.#socket }).on('line', (line) => {
      const at = performance.timeOrigin + performance.now();
      const message = JSON.parse(line) as HostMessage;
      this.#listener(message, at);
      this.#socket.emit('message', message);
    });
  }

  send(request: HostRequestInput): void {
    this.#socket.write(`${JSON.stringify(request)}\n`);
  }

  /** Sends a request and resolves with the next message of that type for which `is` holds. */
  request<T extends HostMessage['type']>(
    request: HostRequestInput,
    type: T,
    is: (message: MessageOf<T>) => boolean = () => true,
  ): Promise<MessageOf<T>> {
    const answer = this.next(type, is);
    this.send(request);
    return answer;
  }

  next<T extends HostMessage['type']>(
    type: T,
    is: (message: MessageOf<T>) => boolean = () => true,
  ): Promise<MessageOf<T>> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the host sent no ${type}`)), PATIENCE_MS);
      const check = (message: HostMessage) => {
        if (message.type !== type || !is(message as MessageOf<T>)) return;
        this.#socket.off('message', check);
        clearTimeout(timer);
        resolve(message as MessageOf<T>);
      };
      this.#socket.on('message', check);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
