/** Finds a port to listen on (L1): the one that was asked for, or the last one used, or the next free one. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CodedError } from '@tugdeck/protocol/wire/errors';

export const DEFAULT_PORT = 7700;
const TRIES = 100;

export interface PortWish {
  /** Asked for by the user: this one or none. */
  readonly asked: number | undefined;
  readonly last: number | undefined;
}

export async function listen(server: Server, host: string, { asked, last }: PortWish): Promise<number> {
  if (asked !== undefined) {
    if (await tryPort(server, host, asked)) return boundPort(server);
    throw new CodedError(
      'TOO_MANY',
      `Port ${asked} is taken or may not be used.`,
      'Choose another one with --port.',
    );
  }
  const wishes = new Set([last ?? DEFAULT_PORT]);
  for (let port = DEFAULT_PORT; port < DEFAULT_PORT + TRIES; port++) wishes.add(port);
  // Any free one, before we give up.
  wishes.add(0);
  for (const port of wishes) if (await tryPort(server, host, port)) return boundPort(server);
  throw new CodedError('TOO_MANY', 'No free port was found.');
}

function boundPort(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function tryPort(server: Server, host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => {
      server.off('listening', listening);
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    };
    const listening = () => {
      server.off('error', failed);
      resolve(true);
    };
    server.once('error', failed);
    server.once('listening', listening);
    server.listen({ host, port, exclusive: true });
  });
}
