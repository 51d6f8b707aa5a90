/**
 * The server's control socket for `tugdeck` commands of the same user (L2). Its directory is private: any process
 * that can reach it has full access.
 */
import { createServer, type Socket } from 'node:net';
import { createLineReader } from '@tugdeck/local/lines';
import type { Log } from '@tugdeck/local/log';
import { listenOwn } from '@tugdeck/local/own-socket';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import { LIMITS } from '../limits.ts';
import { type ControlAnswer, type ControlRequest, controlRequestSchema } from './messages.ts';

export interface ControlSocket {
  close(): void;
  /** Stops serving without removing the socket file, which now belongs to another server. */
  detach(): void;
}

export async function serveControl(
  path: string,
  answer: (request: ControlRequest) => Promise<ControlAnswer>,
  log: Log,
): Promise<ControlSocket> {
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.on('close', () => clients.delete(client));
    client.on('error', () => client.destroy());
    const reply = (message: ControlAnswer) => {
      if (!client.destroyed) client.write(`${JSON.stringify(message)}\n`);
    };
    const reader = createLineReader(LIMITS.controlLine, {
      overlong: () => reply({ type: 'error', ...reportOf(new CodedError('PAYLOAD_TOO_LARGE')) }),
      line: (line) => {
        handle(line, answer).then(reply, (error: unknown) => {
          if (!(error instanceof CodedError)) log.error('control', { error });
          reply({ type: 'error', ...reportOf(error) });
        });
      },
    });
    client.on('data', (chunk: Buffer) => reader.push(chunk));
  });
  await listenOwn(server, path);
  const closeClients = () => {
    for (const client of clients) client.end();
  };
  return {
    close() {
      server.close();
      closeClients();
    },
    detach() {
      server.unref();
      closeClients();
    },
  };
}

async function handle(
  line: string,
  answer: (request: ControlRequest) => Promise<ControlAnswer>,
): Promise<ControlAnswer> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new CodedError('INVALID_MESSAGE');
  }
  const parsed = controlRequestSchema.safeParse(value);
  if (!parsed.success) throw new CodedError('INVALID_MESSAGE');
  return answer(parsed.data);
}
