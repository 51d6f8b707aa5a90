/** A page's own client in Node, without a page: the same connection, channels, prediction and re-sending. */
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { type Client, createClient } from '@tugdeck/client/client';
import type { WebSocketLike } from '@tugdeck/client/connection';
import { Visit } from '@tugdeck/testkit/visit';
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
  const { access } = await Visit.enter(url);
  const { origin, host } = new URL(url);
  const wire = await openWire(() => deck.port);
  // The URL has the server's own address; the connection goes through the wire.
  const agent = new Agent();
  agent.createConnection = () => connect(wire.port, '127.0.0.1');
  const client = createClient({
    url: `ws://${host}/ws`,
    build: 'campaign',
    createSocket: (address) => {
      const socket = new WebSocket(address, { headers: { origin }, agent });
      socket.on('error', () => undefined);
      return socket as unknown as WebSocketLike;
    },
    frame: (run) => setImmediate(run),
    storage: undefined,
    access,
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
