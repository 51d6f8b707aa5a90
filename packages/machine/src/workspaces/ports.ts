/** Ten ports per workspace (B20), by slot: stable over restarts, different for all workspaces of this server. */
import { createServer } from 'node:net';
import { addressesOf } from '@tugdeck/local/held-port';
import { CodedError } from '@tugdeck/protocol/wire/errors';

const FIRST_PORT = 17_000;
export const PORTS_EACH = 10;
const MAX_SLOTS = 1_000;

export function firstPort(slot: number): number {
  return FIRST_PORT + slot * PORTS_EACH;
}

/** The lowest slot that no workspace has and whose ports are all free. */
export async function freeSlot(taken: () => ReadonlySet<number>): Promise<number> {
  for (let slot = 0; slot < MAX_SLOTS; slot++) {
    if (taken().has(slot)) continue;
    const ports = Array.from({ length: PORTS_EACH }, (_, index) => firstPort(slot) + index);
    // Another workspace may have taken it while we tried.
    if ((await Promise.all(ports.map(canBind))).every(Boolean) && !taken().has(slot)) return slot;
  }
  throw new CodedError('TOO_MANY', 'No block of ten free ports was found for the workspace.');
}

/** On all addresses of `localhost`: browsers try both, and a program that holds one would answer there. */
export async function canBind(port: number): Promise<boolean> {
  const free = await Promise.all(addressesOf('localhost').map((host) => isFreeOn(host, port)));
  return free.every(Boolean);
}

/** True too if this machine doesn't have the address. */
function isFreeOn(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT'),
    );
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
