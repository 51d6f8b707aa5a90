/**
 * Local sockets between our processes (X9). Connects only to our own: requests contain secrets and complete
 * environments. Sends nothing unless this user owns the socket and its directory, and nobody else can enter the directory.
 */
import { timingSafeEqual } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { connect, type Server, Socket, type SocketConstructorOpts } from 'node:net';
import { dirname } from 'node:path';
import { checkAncestors, isClosedToOthers, isOwn, lstatIfExists, unsafe, wrongOwner } from './ownership.ts';

/** Throws DATA_UNSAFE for another user's socket; a missing socket fails like any connection. */
export function connectOwn(path: string, options: Pick<SocketConstructorOpts, 'allowHalfOpen'> = {}): Socket {
  return exists(path) ? connect({ path, ...options }) : missing(path);
}

function exists(path: string): boolean {
  const directory = dirname(path);
  const above = lstatIfExists(directory);
  if (!above) return false;
  if (!isOwn(above)) throw wrongOwner(directory, above.uid);
  if (!above.isDirectory()) throw unsafe(`${directory} is not a directory.`);
  if (!isClosedToOthers(above))
    throw unsafe(`Other users can enter ${directory}.`, `Run chmod 700 ${directory}`);
  checkAncestors(directory);
  const stat = lstatIfExists(path);
  if (!stat) return false;
  if (!stat.isSocket()) throw unsafe(`${path} is not a socket.`);
  if (!isOwn(stat)) throw wrongOwner(path, stat.uid);
  return true;
}

/** Fails without calling `connect`, which could reach a socket that is created there in the meantime. */
function missing(path: string): Socket {
  const fault = Object.assign(new Error(`connect ENOENT ${path}`), { code: 'ENOENT' });
  return new Socket().destroy(fault);
}

/** Listens on a socket that only this user can use; replaces one that was left behind. */
export async function listenOwn(server: Server, path: string): Promise<void> {
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
}

export function isSameSecret(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
