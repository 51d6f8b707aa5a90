/** A page's own client in Node, without a page: the same connection, channels, prediction and re-sending. */
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { type Client, createClient } from '@tugdeck/client/client';
import type { WebSocketLike } from '@tugdeck/client/connection';
import { WebSocket } from 'ws';
import type { Deck } from '../deck.ts';
import { openWire, type Wire } from './wire.ts';

export interface HeadlessPage {
  readonly client: Client;
  readonly wire: Wire;
  close(): void;
}

export async function headlessPage(deck: Deck): Promise<HeadlessPage> {
  const url = (await deck.run('url')).stdout.trim();
  const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(10_000) });
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  await answer.arrayBuffer();
  const { origin, host } = new URL(url);
  const wire = await openWire(() => deck.port);
  // Says the server's own address and goes through the wire.
  const agent = new Agent();
  agent.createConnection = () => connect(wire.port, '127.0.0.1');
  const client = createClient({
    url: `ws://${host}/ws`,
    build: 'campaign',
    createSocket: (address) => {
      const socket = new WebSocket(address, { headers: { cookie, origin }, agent });
      socket.on('error', () => undefined);
      return socket as unknown as WebSocketLike;
    },
    frame: (run) => setImmediate(run),
    storage: undefined,
    probe: async () => 'signed-in',
  });
  return {
    client,
    wire,
    close() {
      client.dispose();
      wire.close();
    },
  };
}
