/**
 * The port of the preview proxy (W7), on both loopback addresses, because browsers resolve `*.localhost` to either.
 * Derived from the instance's key, so that it stays the same when the server restarts and can't be known in advance.
 */
import { createHmac } from 'node:crypto';
import type { Socket } from 'node:net';
import { addressesOf, type HeldPort, holdPort, isAllowedPort, RANDOM_PORTS } from '@tugdeck/local/held-port';
import type { Instance } from '../transport/instance.ts';

const TRIES = 20;
const MAX_CONNECTIONS = 256;

/** Undefined if no port is free; then previews aren't offered. */
export async function holdPreviewPort(
  { key }: Instance,
  accept: (socket: Socket) => void,
): Promise<HeldPort | undefined> {
  for (let at = 0; at < TRIES; at++) {
    const random = createHmac('sha256', key).update(`preview port ${at}`).digest().readUInt32BE();
    const port = RANDOM_PORTS.from + (random % (RANDOM_PORTS.to - RANDOM_PORTS.from));
    if (!isAllowedPort(port)) continue;
    const request = { hosts: addressesOf('localhost'), port, maxConnections: MAX_CONNECTIONS, accept };
    const held = await holdPort(request).catch(() => undefined);
    if (held) return held;
  }
  return undefined;
}
