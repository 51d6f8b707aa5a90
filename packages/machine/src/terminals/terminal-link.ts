/**
 * One connection to the terminal host: TerminalLink frames on its local socket. Every message is validated (S2);
 * bytes are forwarded unchanged.
 */
import { connectOwn } from '@tugdeck/local/own-socket';
import { createLinkFrameReader, LINK_FRAME, linkFrameHead } from '@tugdeck/protocol/terminal/link-frames';
import type { TerminalInfo } from '@tugdeck/protocol/terminal/terminal';
import {
  TERMINAL_LINK_OLDEST,
  TERMINAL_LINK_VERSION,
  type TerminalMessage,
  type TerminalRequestInput,
  terminalMessageSchema,
} from '@tugdeck/protocol/terminal/terminal-link';
import { CodedError } from '@tugdeck/protocol/wire/errors';

export interface TerminalAddress {
  readonly socket: string;
  readonly secret: string;
}

export interface TerminalLinkEvents {
  received(message: HostPush): void;
  bytes?(data: Uint8Array): void;
  unreadable(problem: string): void;
  closed(): void;
}

type HostPush = Exclude<TerminalMessage, { type: 'ready' | 'done' }>;
type NumberedRequest = Extract<TerminalRequestInput, { re: number }>;
type WithoutRe<R> = R extends unknown ? Omit<R, 're'> : never;
type OneWayMessage = Exclude<TerminalRequestInput, { re: number } | { type: 'init' }>;

export interface TerminalLink {
  /** Rejects with the host's coded error. */
  request(request: WithoutRe<NumberedRequest>): Promise<TerminalInfo | undefined>;
  send(request: OneWayMessage): void;
  bytes(data: Uint8Array): void;
  /** Stops reading; the host then sees that its output is not rendered. */
  pause(): void;
  resume(): void;
  close(): void;
}

interface PendingRequest {
  readonly resolve: (terminal: TerminalInfo | undefined) => void;
  readonly reject: (error: CodedError) => void;
}

const DECODER = new TextDecoder();

/** Resolves once the host has accepted us. `closed` is only called after that. */
export function connectTerminals(
  { socket: path, secret }: TerminalAddress,
  events: TerminalLinkEvents,
  timeoutMs: number,
): Promise<TerminalLink> {
  return new Promise((resolve, reject) => {
    const socket = connectOwn(path);
    const pending = new Map<number, PendingRequest>();
    let lastNumber = 0;
    let isAcknowledged = false;
    let isClosed = false;

    const write = (kind: number, payload: Uint8Array) => {
      if (socket.destroyed) return;
      socket.cork();
      socket.write(linkFrameHead(kind, payload.length));
      socket.write(payload);
      socket.uncork();
    };
    const send = (request: TerminalRequestInput) =>
      write(LINK_FRAME.json, Buffer.from(JSON.stringify(request)));
    const fail = (error: CodedError) => {
      clearTimeout(timer);
      socket.destroy();
      for (const { reject: refuse } of pending.values()) refuse(error);
      pending.clear();
      reject(error);
    };
    const timer = setTimeout(() => fail(unavailable('The terminal host is not responding.')), timeoutMs);

    const handle = (message: TerminalMessage) => {
      if (message.type === 'ready') return acknowledged(message.version);
      if (message.type === 'done') return settle(message.re, ({ resolve: done }) => done(message.terminal));
      if (message.type !== 'error') return events.received(message);
      const error = new CodedError(message.code, message.message, message.hint);
      if (!isAcknowledged) fail(error);
      else if (message.re === undefined) events.unreadable(`${message.code} ${message.message}`);
      else settle(message.re, ({ reject: refuse }) => refuse(error));
    };
    const settle = (re: number, complete: (request: PendingRequest) => void) => {
      const found = pending.get(re);
      pending.delete(re);
      if (found) complete(found);
    };
    const acknowledged = (version: number) => {
      if (version < TERMINAL_LINK_OLDEST) return fail(new CodedError('HOST_VERSION'));
      isAcknowledged = true;
      clearTimeout(timer);
      resolve({
        request(request) {
          lastNumber += 1;
          const re = lastNumber;
          return new Promise((done, refuse) => {
            if (socket.destroyed) return refuse(unavailable());
            pending.set(re, { resolve: done, reject: refuse });
            send({ ...request, re } as TerminalRequestInput);
          });
        },
        send,
        bytes: (data) => write(LINK_FRAME.bytes, data),
        pause: () => void socket.pause(),
        resume: () => void socket.resume(),
        close() {
          isClosed = true;
          socket.destroy();
        },
      });
    };
    const read = createLinkFrameReader({
      json: (payload) => {
        const message = parse(DECODER.decode(payload));
        if (message) handle(message);
        else events.unreadable('invalid message');
      },
      bytes: (data) => events.bytes?.(data),
      broken: (why) => fail(unavailable(`Invalid data from the terminal host: ${why}.`)),
    });
    socket.on('connect', () => send({ type: 'init', version: TERMINAL_LINK_VERSION, secret }));
    socket.on('data', read);
    socket.on('error', (error) => fail(unavailable(error.message)));
    socket.on('close', () => {
      fail(unavailable('The terminal host closed the connection.'));
      if (isAcknowledged && !isClosed) events.closed();
    });
  });
}

function parse(text: string): TerminalMessage | undefined {
  try {
    return terminalMessageSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // Not JSON; reported as an invalid message.
  }
}

function unavailable(message?: string): CodedError {
  return new CodedError('TERMINAL_UNAVAILABLE', message);
}
