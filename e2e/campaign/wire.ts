/** The connection between a page and the server, which can be cut, go dead silently, or slow down. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Wire {
  readonly port: number;
  /** Both ends notice. */
  cut(): void;
  /** Nothing passes and neither end notices: connections stay open on both sides. */
  mute(): void;
  /** Muted connections continue. */
  unmute(): void;
  /** From the server to the page nothing passes until `flow`. */
  stall(): void;
  flow(): void;
  close(): void;
}

interface Pair {
  readonly page: Socket;
  readonly server: Socket;
}

export async function openWire(serverPort: () => number): Promise<Wire> {
  const pairs = new Set<Pair>();
  const listener = createServer((page) => {
    const server = connect(serverPort(), '127.0.0.1');
    const pair = { page, server };
    pairs.add(pair);
    const end = () => {
      page.destroy();
      server.destroy();
      pairs.delete(pair);
    };
    for (const socket of [page, server]) {
      socket.on('error', end);
      socket.on('close', end);
    }
    page.pipe(server);
    server.pipe(page);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const each = (act: (pair: Pair) => void) => {
    for (const pair of [...pairs]) act(pair);
  };
  const cut = () => each(({ page }) => page.destroy());
  return {
    port,
    cut,
    mute: () =>
      each(({ page, server }) => {
        page.unpipe();
        server.unpipe();
        page.pause();
        server.pause();
      }),
    unmute: () =>
      each(({ page, server }) => {
        page.pipe(server);
        server.pipe(page);
      }),
    stall: () => each(({ server }) => server.pause()),
    flow: () => each(({ server }) => server.resume()),
    close() {
      listener.close();
      cut();
    },
  };
}
