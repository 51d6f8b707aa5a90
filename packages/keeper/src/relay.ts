/**
 * Relays a browser's connection to the server's private socket. Connects to the server on the browser's first bytes;
 * when one side closes, so does the other. Idle connections (silent, not yet accepted, or not reading) are limited:
 * the oldest are closed first, so that nobody can lock the user out by holding them (X2).
 */
import { Socket } from 'node:net';
import { RELAY_ACK } from '@tugdeck/local/keeper-link';
import { connectOwn } from '@tugdeck/local/own-socket';

export interface RelayOptions {
  /** The server's socket; undefined while none runs. */
  readonly target: () => string | undefined;
  /** Answers in place of a server that is not running. */
  readonly serverDown: (client: Socket) => void;
  /** Limit for all connections; each takes two file descriptors. */
  readonly maxConnections: number;
  /** Limit for idle connections. */
  readonly maxIdle: number;
  /** Silent connections are closed after this. */
  readonly silentMs?: number;
}

const SILENT_MS = 5_000;
/** A client that does not read its last bytes is closed after this. */
const UNREAD_MS = 30_000;

export function createRelay(options: RelayOptions): (client: Socket) => void {
  const { target, serverDown, maxConnections, maxIdle, silentMs = SILENT_MS } = options;
  let open = 0;
  /** In the order in which they became idle. */
  const idle = new Set<Socket>();
  const destroyOldest = () => {
    const [oldest] = idle;
    if (oldest) idle.delete(oldest);
    oldest?.destroy();
    return oldest !== undefined;
  };
  const markIdle = (client: Socket) => {
    idle.add(client);
    while (idle.size > maxIdle) destroyOldest();
  };
  const answerServerDown = (client: Socket) => {
    markIdle(client);
    serverDown(client);
  };

  /** Closes once the last bytes are sent. */
  function closeAfterFlush(client: Socket): void {
    if (client.destroyed) return;
    markIdle(client);
    const timeout = setTimeout(() => client.destroy(), UNREAD_MS);
    client.once('close', () => clearTimeout(timeout));
    client.destroySoon();
  }

  function relay(client: Socket, path: string, first: Buffer): void {
    const server = connectServer(path);
    let isAccepted = false;
    server.on('connect', () => server.write(`${client.remoteAddress ?? ''}\n`));
    server.once('data', (ack: Buffer) => {
      server.pause();
      if (ack.toString() !== RELAY_ACK) {
        server.destroy();
        return;
      }
      isAccepted = true;
      idle.delete(client);
      server.write(first);
      client.pipe(server);
      server.pipe(client);
      // While the client does not read, we stop reading from the server, and so do not notice that it closed.
      server.on('data', () => client.writableNeedDrain && markIdle(client));
      client.on('drain', () => idle.delete(client));
    });
    server.on('error', () => server.destroy());
    server.once('close', () => {
      // The server stopped before it accepted this connection.
      if (!isAccepted && !client.destroyed) answerServerDown(client);
      else closeAfterFlush(client);
    });
    client.once('close', () => server.destroy());
  }

  return (client) => {
    if (open >= maxConnections && !destroyOldest()) {
      client.destroy();
      return;
    }
    open++;
    markIdle(client);
    const silent = setTimeout(() => client.destroy(), silentMs);
    client.on('error', () => client.destroy());
    client.once('close', () => {
      open--;
      clearTimeout(silent);
      idle.delete(client);
    });
    client.once('end', () => clearTimeout(silent));
    client.once('data', (first: Buffer) => {
      clearTimeout(silent);
      client.pause();
      const path = target();
      if (path === undefined) answerServerDown(client);
      else relay(client, path, first);
    });
    // Closed without sending anything.
    client.once('end', () => {
      if (client.bytesRead === 0) client.destroy();
    });
  };
}

/** A socket that is no longer ours fails like a missing server, otherwise the browser would wait forever. */
function connectServer(path: string): Socket {
  try {
    return connectOwn(path, { allowHalfOpen: true });
  } catch (error) {
    return new Socket().destroy(error as Error);
  }
}
