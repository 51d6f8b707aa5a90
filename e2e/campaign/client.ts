/** A page's own client in Node, without a page: the same connection, channels, prediction and re-sending. */
import { type Client, createClient } from '@tugdeck/client/client';
import type { WebSocketLike } from '@tugdeck/client/connection';
import { WebSocket } from 'ws';
import type { Deck } from '../deck.ts';

export interface HeadlessPage {
  readonly client: Client;
  /** Ends the socket under it; it comes back by itself. */
  cut(): void;
  close(): void;
}

export async function headlessPage(deck: Deck): Promise<HeadlessPage> {
  const url = (await deck.run('url')).stdout.trim();
  const answer = await fetch(url, { redirect: 'manual' });
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const { origin, host } = new URL(url);
  const open = new Set<WebSocket>();
  const client = createClient({
    url: `ws://${host}/ws`,
    build: 'campaign',
    createSocket: (address) => {
      const socket = new WebSocket(address, { headers: { cookie, origin } });
      open.add(socket);
      socket.on('close', () => open.delete(socket));
      socket.on('error', () => undefined);
      return socket as unknown as WebSocketLike;
    },
    frame: (run) => setImmediate(run),
    storage: undefined,
    probe: async () => 'signed-in',
  });
  return {
    client,
    cut: () => {
      for (const socket of open) socket.terminate();
    },
    close: () => client.dispose(),
  };
}
