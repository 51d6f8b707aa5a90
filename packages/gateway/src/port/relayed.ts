/** Accepts connections from the port keeper on a private socket and gives each the browser's address. */
import { createServer, type Socket } from 'node:net';
import { MAX_RELAY_LINE, RELAY_ACK } from '@tugdeck/local/keeper-link';
import { listenOwn } from '@tugdeck/local/own-socket';

export interface RelayListener {
  close(): void;
}

export async function acceptRelayed(path: string, accept: (socket: Socket) => void): Promise<RelayListener> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    let line = '';
    socket.on('readable', function read() {
      // The keeper waits for our answer, so nothing follows its line.
      line += socket.read()?.toString() ?? '';
      if (line.length > MAX_RELAY_LINE) socket.destroy();
      if (!line.endsWith('\n') || socket.destroyed) return;
      socket.off('readable', read);
      Object.defineProperty(socket, 'remoteAddress', { value: line.trimEnd() });
      socket.write(RELAY_ACK);
      accept(socket);
    });
  });
  await listenOwn(server, path);
  return { close: () => void server.close() };
}
