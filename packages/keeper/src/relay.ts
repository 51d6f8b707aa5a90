/**
 * One browser's connection, carried to the server's private socket byte by byte. The server is called when the browser says
 * something; when either side has gone, so has the other.
 */
import type { Socket } from 'node:net';
import { RELAY_ACK } from '@tugdeck/local/keeper-link';
import { connectOwn } from '@tugdeck/local/own-socket';

export interface RelayOptions {
  /** The server's socket, or nothing while none runs. */
  readonly target: () => string | undefined;
  /** Answers for a server that is not there; gets what the browser said first. */
  readonly absent: (client: Socket, first: Buffer) => void;
}

/** A connection that says nothing is let go after this. */
const SILENT_MS = 5_000;
/** So is one that does not take what it was sent. */
const UNREAD_MS = 30_000;

export function relay(client: Socket, { target, absent }: RelayOptions): void {
  const silent = setTimeout(() => client.destroy(), SILENT_MS);
  client.on('error', () => client.destroy());
  client.once('close', () => clearTimeout(silent));
  client.once('end', () => clearTimeout(silent));
  client.once('data', (first: Buffer) => {
    clearTimeout(silent);
    client.pause();
    const path = target();
    if (path === undefined) absent(client, first);
    else carry(client, path, first, absent);
  });
  // It left without a word.
  client.once('end', () => {
    if (client.bytesRead === 0) client.destroy();
  });
}

function carry(client: Socket, path: string, first: Buffer, absent: RelayOptions['absent']): void {
  const server = connectOwn(path, { allowHalfOpen: true });
  let isAccepted = false;
  server.on('connect', () => server.write(`${client.remoteAddress ?? ''}\n`));
  server.once('data', (ack: Buffer) => {
    server.pause();
    if (ack.toString() !== RELAY_ACK) {
      server.destroy();
      return;
    }
    isAccepted = true;
    server.write(first);
    client.pipe(server);
    server.pipe(client);
  });
  server.on('error', () => server.destroy());
  server.once('close', () => {
    // It ended between two servers, before it had taken anything of this.
    if (!isAccepted && !client.destroyed) absent(client, first);
    else letGo(client);
  });
  client.once('close', () => server.destroy());
}

/** After its last bytes have left. */
function letGo(client: Socket): void {
  if (client.destroyed) return;
  const late = setTimeout(() => client.destroy(), UNREAD_MS);
  client.once('close', () => clearTimeout(late));
  client.destroySoon();
}
