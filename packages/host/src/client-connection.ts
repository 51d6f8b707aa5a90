/**
 * A client on the host's socket: the server, for one page's channel or for its session list. Speaks HostLink as JSON
 * lines. Validates every message (S2) and limits the queue of a slow client (S3).
 */

import type { Socket } from 'node:net';
import { createLineReader } from '@tugdeck/local/lines';
import { isSameSecret } from '@tugdeck/local/own-socket';
import { parseJson } from '@tugdeck/protocol/parse-json';
import type { ErrorCode } from '@tugdeck/protocol/wire/error-codes';
import { CodedError, ERRORS, reportOf } from '@tugdeck/protocol/wire/errors';
import { type HostMessage, type HostRequest, hostRequestSchema } from '@tugdeck/protocol/wire/host-link';
import { HOST_LINK_OLDEST, HOST_LINK_VERSION } from '@tugdeck/protocol/wire/version';

const MAX_LINE = 2 * 1024 * 1024;
/** Queue limit per client. Beyond it, live data is dropped and the client receives `behind`. */
export const MAX_QUEUE = 4 * 1024 * 1024;

/** The host's view of a connected client. */
export interface Client {
  following: boolean;
  watching: boolean;
  /** Sends to this client only. */
  send(message: HostMessage): void;
  sendLine(line: string): void;
  /** Sends to this client if it follows the session. */
  publish(line: string): void;
  close(): void;
}

export interface ClientConnectionPorts {
  readonly session: string;
  readonly secret: string;
  readonly onRequest: (link: ClientConnection, request: HostRequest) => void;
  readonly onClose: (link: ClientConnection) => void;
  /** The version from which a client that fell behind should follow again. */
  readonly version: () => number;
}

export class ClientConnection implements Client {
  readonly #socket: Socket;
  readonly #ports: ClientConnectionPorts;
  #known = false;
  #behind = false;
  following = false;
  watching = false;

  constructor(socket: Socket, ports: ClientConnectionPorts) {
    this.#socket = socket;
    this.#ports = ports;
    const lines = createLineReader(MAX_LINE, {
      line: (line) => this.#receive(line),
      overlong: () => this.error('PAYLOAD_TOO_LARGE'),
    });
    socket.on('data', (chunk) => lines.push(chunk));
    socket.on('drain', () => this.#drained());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => ports.onClose(this));
  }

  send(message: HostMessage): void {
    this.sendLine(`${JSON.stringify(message)}\n`);
  }

  sendLine(line: string): void {
    if (!this.#socket.destroyed) this.#socket.write(line);
  }

  publish(line: string): void {
    // Dropped for a client that is behind; it follows again after its queue has drained.
    if (!this.following || this.#behind) return;
    if (this.#socket.writableLength > MAX_QUEUE) this.#behind = true;
    else this.sendLine(line);
  }

  error(code: ErrorCode, message: string = ERRORS[code].text, command?: string): void {
    const report = reportOf(new CodedError(code, message));
    this.send({ type: 'error', ...report, ...(command === undefined ? {} : { command }) });
  }

  close(): void {
    this.#socket.end();
  }

  #receive(line: string): void {
    let value: unknown;
    try {
      value = parseJson(line);
    } catch {
      this.error('INVALID_MESSAGE', 'A line that is not JSON was ignored.');
      return;
    }
    const parsed = hostRequestSchema.safeParse(value);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      const where = issue?.path.join('.') || 'message';
      this.error('INVALID_MESSAGE', `${where}: ${issue?.message ?? 'not understood'}`, commandIdOf(value));
      return;
    }
    const request = parsed.data;
    if (request.type === 'protocol_init') this.#init(request);
    else if (this.#known) this.#ports.onRequest(this, request);
    else this.#refuse('UNAUTHORIZED');
  }

  #init({ version, secret }: Extract<HostRequest, { type: 'protocol_init' }>): void {
    if (!isSameSecret(secret ?? '', this.#ports.secret)) {
      this.#refuse('UNAUTHORIZED');
    } else if (version < HOST_LINK_OLDEST || version > HOST_LINK_VERSION) {
      this.#refuse('HOST_VERSION');
    } else {
      this.#known = true;
      this.send({ type: 'protocol_ack', version: HOST_LINK_VERSION, session: this.#ports.session });
    }
  }

  #refuse(code: ErrorCode): void {
    this.error(code);
    this.#socket.end();
  }

  #drained(): void {
    if (!this.#behind) return;
    this.#behind = false;
    this.following = false;
    this.send({ type: 'behind', v: this.#ports.version() });
  }
}

/** The id of an invalid command, so that its sender can match the error. */
function commandIdOf(value: unknown): string | undefined {
  const command = (value as { command?: { id?: unknown } } | null)?.command;
  return typeof command?.id === 'string' && command.id.length <= 200 ? command.id : undefined;
}
