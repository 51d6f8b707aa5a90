/** A private socket for a proxy on this machine (N50): unlike a port, no other user can listen there. */
import { createServer, type Socket } from 'node:net';
import { listenOwn } from '@tugdeck/local/own-socket';

export interface ProxySocket {
  close(): void;
}

/** Shown instead of an address; a proxy's headers are not trusted. */
const ADDRESS = 'proxy';

export async function listenForProxy(path: string, accept: (socket: Socket) => void): Promise<ProxySocket> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    Object.defineProperty(socket, 'remoteAddress', { value: ADDRESS });
    accept(socket);
  });
  await listenOwn(server, path);
  return { close: () => void server.close() };
}
