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

export interface ControlHandlers {
  readonly answer: (request: AnsweredRequest) => Promise<ControlAnswer>;
  /** The connection becomes a link to another machine's deck. */
  readonly link: (socket: Socket) => void;
}

export type AnsweredRequest = Exclude<ControlRequest, { type: 'link' }>;

export async function serveControl(
  path: string,
  { answer, link }: ControlHandlers,
  log: Log,
): Promise<ControlSocket> {
  const clients = new Set<Socket>();
  const links = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.on('close', () => {
      clients.delete(client);
      links.delete(client);
    });
    client.on('error', () => client.destroy());
    const reply = (message: ControlAnswer) => {
      if (!client.destroyed) client.write(`${JSON.stringify(message)}\n`);
    };
    const reader = createLineReader(LIMITS.controlLine, {
      overlong: () => reply({ type: 'error', ...reportOf(new CodedError('PAYLOAD_TOO_LARGE')) }),
      line: (line) => {
        const request = parseRequest(line);
        if (request?.type === 'link') {
          // The deck waits for our greeting, so nothing follows this line.
          client.off('data', read);
          client.pause();
          clients.delete(client);
          links.add(client);
          link(client);
          return;
        }
        const answered = request ? answer(request) : Promise.reject(new CodedError('INVALID_MESSAGE'));
        answered.then(reply, (error: unknown) => {
          if (!(error instanceof CodedError)) log.error('control', { error });
          reply({ type: 'error', ...reportOf(error) });
        });
      },
    });
    const read = (chunk: Buffer) => reader.push(chunk);
    client.on('data', read);
  });
  await listenOwn(server, path);
  const closeClients = () => {
    for (const client of clients) client.end();
    for (const client of links) client.destroy();
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

function parseRequest(line: string): ControlRequest | undefined {
  try {
    return controlRequestSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
