/**
 * One connection to the terminal host's socket: from the server, for the list of terminals or for one page attached
 * to one terminal. Every message is validated (S2); nothing is processed before the client has sent the secret.
 */

import type { Socket } from 'node:net';
import { isSameSecret } from '@tugdeck/local/own-socket';
import {
  createLinkFrameReader,
  LINK_FRAME,
  linkFrameHead,
  MAX_LINK_FRAME,
} from '@tugdeck/protocol/terminal/link-frames';
import {
  TERMINAL_LINK_OLDEST,
  TERMINAL_LINK_VERSION,
  type TerminalMessage,
  type TerminalRequest,
  terminalRequestSchema,
} from '@tugdeck/protocol/terminal/terminal-link';
import type { ErrorCode } from '@tugdeck/protocol/wire/error-codes';
import { ERRORS, reportOf } from '@tugdeck/protocol/wire/errors';

const DECODER = new TextDecoder();

export interface LinkPorts {
  readonly secret: string;
  readonly request: (link: Link, request: Exclude<TerminalRequest, { type: 'init' }>) => void;
  readonly bytes: (link: Link, data: Uint8Array) => void;
  readonly closed: (link: Link) => void;
}

export class Link {
  readonly #socket: Socket;
  readonly #ports: LinkPorts;
  #isKnown = false;
  isWatching = false;

  constructor(socket: Socket, ports: LinkPorts) {
    this.#socket = socket;
    this.#ports = ports;
    const read = createLinkFrameReader({
      json: (payload) => this.#receive(DECODER.decode(payload)),
      bytes: (data) => {
        if (this.#isKnown) this.#perform(() => ports.bytes(this, data), undefined);
        else this.#refuse('UNAUTHORIZED');
      },
      broken: () => this.#refuse('INVALID_MESSAGE'),
    });
    socket.on('data', (chunk) => read(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => ports.closed(this));
  }

  send(message: TerminalMessage): void {
    const payload = Buffer.from(JSON.stringify(message));
    // The list of terminals never gets this long.
    if (payload.length > MAX_LINK_FRAME) this.error('PAYLOAD_TOO_LARGE');
    else this.#write(LINK_FRAME.json, payload);
  }

  bytes(data: Uint8Array): void {
    for (let at = 0; at < data.length; at += MAX_LINK_FRAME) {
      this.#write(LINK_FRAME.bytes, data.subarray(at, at + MAX_LINK_FRAME));
    }
  }

  error(code: ErrorCode, message: string = ERRORS[code].text, re?: number): void {
    this.send({ type: 'error', code, message, ...(re === undefined ? {} : { re }) });
  }

  close(): void {
    this.#socket.end();
  }

  #write(kind: number, payload: Uint8Array): void {
    if (this.#socket.destroyed) return;
    this.#socket.cork();
    this.#socket.write(linkFrameHead(kind, payload.length));
    this.#socket.write(payload);
    this.#socket.uncork();
  }

  #receive(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.error('INVALID_MESSAGE', 'A message that is not JSON was ignored.');
      return;
    }
    const parsed = terminalRequestSchema.safeParse(value);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      const { re } = value as { re?: unknown };
      this.error(
        'INVALID_MESSAGE',
        `${issue?.path.join('.') || 'message'}: ${issue?.message ?? 'not understood'}`,
        typeof re === 'number' ? re : undefined,
      );
      return;
    }
    const request = parsed.data;
    if (request.type === 'init') this.#init(request);
    else if (!this.#isKnown) this.#refuse('UNAUTHORIZED');
    else this.#perform(() => this.#ports.request(this, request), 're' in request ? request.re : undefined);
  }

  #perform(run: () => void, re: number | undefined): void {
    try {
      run();
    } catch (error) {
      const { code, message } = reportOf(error);
      this.error(code, message, re);
    }
  }

  #init({ version, secret }: Extract<TerminalRequest, { type: 'init' }>): void {
    if (!isSameSecret(secret, this.#ports.secret)) this.#refuse('UNAUTHORIZED');
    else if (version < TERMINAL_LINK_OLDEST) this.#refuse('HOST_VERSION');
    else {
      this.#isKnown = true;
      this.send({ type: 'ready', version: Math.min(version, TERMINAL_LINK_VERSION) });
    }
  }

  #refuse(code: ErrorCode): void {
    this.error(code);
    this.#socket.end();
  }
}
