/**
 * One browser's connection, carried to the server's private socket byte by byte. The server is called when the browser says
 * something; when either side has gone, so has the other. Connections that only take up room (silent ones, those that the server
 * has not taken yet, and those that do not take what they are sent) are few: of too many the oldest go, so that nobody keeps
 * the user out by holding them (X2).
 */
import { Socket } from 'node:net';
import { RELAY_ACK } from '@tugdeck/local/keeper-link';
import { connectOwn } from '@tugdeck/local/own-socket';

export interface RelayOptions {
  /** The server's socket, or nothing while none runs. */
  readonly target: () => string | undefined;
  /** Answers for a server that is not there. */
  readonly serverDown: (client: Socket) => void;
  /** How many there may be at all, below what this process may open: each takes two descriptors. */
  readonly maxConnections: number;
  /** How many may be idle. */
  readonly maxIdle: number;
  /** A connection that says nothing is let go after this. */
  readonly silentMs?: number;
}

const SILENT_MS = 5_000;
/** One that does not take its last bytes is let go after this. */
const UNREAD_MS = 30_000;

export function createRelay(options: RelayOptions): (client: Socket) => void {
  const { target, serverDown, maxConnections, maxIdle, silentMs = SILENT_MS } = options;
  let open = 0;
  /** In the order in which they fell idle. */
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

  /** After its last bytes have left. */
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
      // While it takes nothing, we do not read what the server sends, and so do not see that it has gone.
      server.on('data', () => client.writableNeedDrain && markIdle(client));
      client.on('drain', () => idle.delete(client));
    });
    server.on('error', () => server.destroy());
    server.once('close', () => {
      // It ended between two servers, before it had taken anything of this.
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
    // It left without a word.
    client.once('end', () => {
      if (client.bytesRead === 0) client.destroy();
    });
  };
}

/** A socket that is not ours any more fails as a server that is not there does: else the browser would wait for ever. */
function connectServer(path: string): Socket {
  try {
    return connectOwn(path, { allowHalfOpen: true });
  } catch (error) {
    return new Socket().destroy(error as Error);
  }
}
