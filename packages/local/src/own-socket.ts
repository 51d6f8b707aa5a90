/**
 * Connects to a local socket of ours, and to nothing else (X9): the requests carry secrets and whole environments. No
 * byte is sent unless this user owns the socket and its directory, and nobody else can enter that.
 */
import { connect, Socket, type SocketConstructorOpts } from 'node:net';
import { dirname } from 'node:path';
import { checkWay, foreign, isClosedToOthers, isOwn, lookAt, unsafe } from './own-place.ts';

/** Throws DATA_UNSAFE for a socket of somebody else; one that does not exist fails as any connection does. */
export function connectOwn(path: string, options: Pick<SocketConstructorOpts, 'allowHalfOpen'> = {}): Socket {
  return isThere(path) ? connect({ path, ...options }) : missing(path);
}

function isThere(path: string): boolean {
  const directory = dirname(path);
  const above = lookAt(directory);
  if (!above) return false;
  if (!isOwn(above)) throw foreign(directory, above.uid);
  if (!above.isDirectory()) throw unsafe(`${directory} is not a directory.`);
  if (!isClosedToOthers(above))
    throw unsafe(`Other users can enter ${directory}.`, `Run chmod 700 ${directory}`);
  checkWay(directory);
  const stat = lookAt(path);
  if (!stat) return false;
  if (!stat.isSocket()) throw unsafe(`${path} is not a socket.`);
  if (!isOwn(stat)) throw foreign(path, stat.uid);
  return true;
}

/** Not `connect`, which would reach a socket that somebody creates there in the meantime. */
function missing(path: string): Socket {
  const fault = Object.assign(new Error(`connect ENOENT ${path}`), { code: 'ENOENT' });
  return new Socket().destroy(fault);
}
