/** A fleet of two built products on one machine: the deck, and a worker that joined it through a real nats-server. */
import { join } from 'node:path';
import { freePort } from '@tugdeck/testkit/free-port';
import { type NatsServer, startNatsServer } from '@tugdeck/testkit/nats-server';
import type { Deck } from './deck.ts';

/** Configures the deck, and starts the server that it needs. */
export async function openFleet(deck: Deck): Promise<NatsServer> {
  const port = await freePort();
  const folder = join(deck.sandbox.root, 'nats');
  const init = await deck.run('fleet', 'init', '--server', `tls://127.0.0.1:${port}`, '--folder', folder);
  if (init.code !== 0) throw new Error(init.stderr);
  return startNatsServer(folder, port);
}

/** The printed command, as arguments of `tugdeck`. */
export async function invite(deck: Deck, name: string): Promise<string[]> {
  const { stdout, stderr } = await deck.run('fleet', 'invite', name);
  if (!stderr.includes('It works once')) throw new Error(stderr);
  return stdout.trim().split(' ').slice(1);
}
