/**
 * One HostLink connection to a session host: JSON lines on its local socket. Messages are validated (S2), except those
 * that a relay only forwards: the page validates them.
 */

import type { Socket } from 'node:net';
import { createLineReader } from '@tugdeck/local/lines';
import { connectOwn } from '@tugdeck/local/own-socket';
import { parseJson } from '@tugdeck/protocol/parse-json';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import { type HostMessage, type HostRequestInput, hostMessageSchema } from '@tugdeck/protocol/wire/host-link';
import { publishedHead } from '@tugdeck/protocol/wire/published-lines';
import { HOST_LINK_OLDEST, HOST_LINK_VERSION } from '@tugdeck/protocol/wire/version';
import { LIMITS } from '../limits.ts';

export interface HostAddress {
  readonly socket: string;
  readonly secret: string;
  readonly version: number;
}

/** A line to forward: with its message, or, if it was published to all followers, with the version after it. */
export type RelayedLine =
  | { readonly line: string; readonly message: HostMessage }
  | { readonly line: string; readonly message?: undefined; readonly v?: number };

export interface HostConnectionEvents {
  /** Messages that arrived together. */
  received?(batch: readonly HostMessage[]): void;
  /** Instead of `received`, for a relay. */
  relayed?(batch: readonly RelayedLine[]): void;
  /** A line that is not a valid host message; it was skipped. */
  unreadable(problem: string): void;
  closed(): void;
}

export interface HostConnection {
  send(request: HostRequestInput): void;
  /** Stops reading; the host then fills its own bounded queue (S3). */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Resolves once the host has acknowledged us. `closed` is only called after that. */
export function connectHost(
  address: HostAddress,
  events: HostConnectionEvents,
  timeoutMs: number,
): Promise<HostConnection> {
  return new Promise((resolve, reject) => {
    const socket = connectOwn(address.socket);
    let isAcknowledged = false;
    let isClosed = false;
    const fail = (error: CodedError) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(
      () => fail(new CodedError('HOST_UNAVAILABLE', 'The session host is not responding.')),
      timeoutMs,
    );
    const connection = connectionOn(socket, () => {
      isClosed = true;
    });
    let batch: RelayedLine[] = [];
    const reader = createLineReader(LIMITS.hostLine, {
      overlong(_bytes, head) {
        events.unreadable('line too long');
        const refused = tooLarge(head);
        if (refused) batch.push(refused);
      },
      line(line) {
        const parsed = parseLine(line, events);
        if (parsed) batch.push(parsed);
      },
      pushed() {
        const received = isAcknowledged ? batch : afterHandshake(batch);
        batch = [];
        if (received.length > 0 && !isClosed) deliver(received, events);
      },
    });
    const afterHandshake = (batch: readonly RelayedLine[]): readonly RelayedLine[] => {
      const first = batch[0]?.message;
      if (!first) return [];
      const fault = handshakeFault(first);
      if (fault) {
        fail(fault);
        return [];
      }
      isAcknowledged = true;
      clearTimeout(timer);
      resolve(connection);
      return batch.slice(1);
    };

    socket.on('connect', () =>
      connection.send({
        type: 'protocol_init',
        version: Math.min(address.version, HOST_LINK_VERSION),
        secret: address.secret,
      }),
    );
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
    socket.on('error', (error) => fail(new CodedError('HOST_UNAVAILABLE', error.message)));
    socket.on('close', () => {
      fail(new CodedError('HOST_UNAVAILABLE', 'The session host closed the connection.'));
      if (isAcknowledged && !isClosed) events.closed();
    });
  });
}

/** The error for a request whose answer is over the limit, by the beginning of that answer. */
function tooLarge(head: string): RelayedLine | undefined {
  const command = /^\{"type":"(?:answer|preview)","id":"([\w-]{1,100})"/.exec(head)?.[1];
  if (command === undefined) return undefined;
  const message: HostMessage = {
    type: 'error',
    ...reportOf(new CodedError('PAYLOAD_TOO_LARGE', 'The agent’s answer is too large to show.', '')),
    command,
  };
  return { message, line: JSON.stringify(message) };
}

function connectionOn(socket: Socket, closing: () => void): HostConnection {
  return {
    send: (request) => void socket.write(`${JSON.stringify(request)}\n`),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close() {
      closing();
      socket.destroy();
    },
  };
}

function handshakeFault(message: HostMessage): CodedError | undefined {
  if (message.type === 'error') return new CodedError(message.code, message.message);
  if (message.type === 'protocol_ack' && message.version >= HOST_LINK_OLDEST) return undefined;
  return new CodedError('HOST_VERSION');
}

function deliver(batch: readonly RelayedLine[], events: HostConnectionEvents): void {
  if (events.relayed) events.relayed(batch);
  else events.received?.(batch.flatMap(({ message }) => (message ? [message] : [])));
}

function parseLine(line: string, events: HostConnectionEvents): RelayedLine | undefined {
  const published = events.relayed && publishedHead(line);
  if (published) return { line, ...published };
  let value: unknown;
  try {
    value = parseJson(line);
  } catch {
    events.unreadable('not JSON');
    return undefined;
  }
  const parsed = hostMessageSchema.safeParse(value);
  if (parsed.success) return { message: parsed.data, line };
  events.unreadable(parsed.error.issues[0]?.message ?? 'invalid message');
  return undefined;
}
