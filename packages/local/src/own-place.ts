/**
 * Checks that a directory or file of ours is really ours before anything is read from it or written to it (X9): its owner,
 * its mode, and every directory and link on the way to it. Once a path has passed, only this user and root can replace
 * a part of it, so the check does not race with the use.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  type Stats,
} from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { isPrivateGroup, isTrustedGroup, isTrustedOwner, ownUid } from './trusted-owner.ts';

const STICKY = 0o1000;
const GROUP_WRITE = 0o020;
const OTHERS_WRITE = 0o002;
const ANY_BUT_OWNER = 0o077;
const MAX_LINKS = 40;
const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;

const CHOOSE = 'choose another data directory with --data-dir';

/**
 * Resolves links and checks every directory above `path`: another user must not be able to put something else in its
 * place. Parts that do not exist yet are left as they are. With `isParent`, nor may they replace what lies in it.
 */
export function checkWay(path: string, isParent = false): string {
  if (ownUid === undefined) return resolve(path);
  const rest = resolve(path).split(sep).filter(Boolean);
  let at: string = sep;
  let links = 0;
  checkAncestor(at, lstatSync(at));
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === '..') {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    const stat = lookAt(next);
    if (stat?.isSymbolicLink()) {
      links += 1;
      if (links > MAX_LINKS) throw unsafe(`${path} leads through too many links.`);
      if (!isTrustedOwner(stat.uid)) throw foreign(next, stat.uid);
      const target = readlinkSync(next);
      rest.unshift(...target.split(sep).filter((part) => part !== '' && part !== '.'));
      if (target.startsWith(sep)) at = sep;
      continue;
    }
    if (rest.length > 0 || isParent) {
      // A missing or wrong part is reported by whoever creates or opens the path.
      if (!stat?.isDirectory()) return join(next, ...rest);
      checkAncestor(next, stat);
    }
    at = next;
  }
  return at;
}

/** The data directory itself: only this user may change it. One that others can merely read is closed to them. */
export function checkOwnDirectory(directory: string): void {
  const real = checkWay(directory);
  const stat = lookAt(real);
  if (ownUid === undefined || !stat?.isDirectory()) return;
  if (stat.uid !== ownUid) throw foreign(directory, stat.uid);
  if ((stat.mode & (GROUP_WRITE | OTHERS_WRITE)) !== 0)
    throw unsafe(
      `Other users can change ${directory} (mode ${modeOf(stat)}).`,
      `Check its contents, then run chmod 700 ${directory}, or ${CHOOSE}.`,
    );
  if ((stat.mode & ANY_BUT_OWNER) !== 0) closeToOthers(real);
}

/** A file or directory that we read and rely on; a link is fine where its target is ours too. */
export function checkOwn(path: string): void {
  const named = lookAt(path);
  const stat = named?.isSymbolicLink() ? lookAt(checkWay(path)) : named;
  if (stat) checkGuarded(path, stat);
}

/** The text of a file of ours, or nothing where there is none. The opened file is the one that is checked. */
export function readOwnFile(file: string): string | undefined {
  let handle: number;
  try {
    handle = openSync(file, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile()) throw new CodedError('DATA_UNREADABLE', `${file} is not a regular file.`);
    checkGuarded(file, stat);
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
}

/** What lies at a path itself, without following a link; nothing where there is nothing. */
export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

export function isOwn(stat: Stats): boolean {
  return ownUid === undefined || stat.uid === ownUid;
}

export function isClosedToOthers(stat: Stats): boolean {
  return ownUid === undefined || (stat.mode & ANY_BUT_OWNER) === 0;
}

export function unsafe(message: string, hint?: string): CodedError {
  return new CodedError('DATA_UNSAFE', message, hint);
}

export function foreign(path: string, uid: number): CodedError {
  const hint =
    ownUid === 0 ? `Run tugdeck as that user instead of root, or ${CHOOSE}.` : `Move it away, or ${CHOOSE}.`;
  return unsafe(`${path} belongs to another user (uid ${uid}).`, hint);
}

/** In a sticky directory only the owner of an entry can replace it, and the entry's owner is checked next. */
function checkAncestor(directory: string, stat: Stats): void {
  if (!isTrustedOwner(stat.uid)) throw foreign(directory, stat.uid);
  if ((stat.mode & STICKY) !== 0) return;
  const isOpen =
    (stat.mode & OTHERS_WRITE) !== 0 || ((stat.mode & GROUP_WRITE) !== 0 && !isTrustedGroup(stat.gid));
  if (isOpen)
    throw unsafe(
      `Other users can replace directories in ${directory} (mode ${modeOf(stat)}).`,
      `Run chmod go-w ${directory}, or ${CHOOSE}.`,
    );
}

function checkGuarded(path: string, stat: Stats): void {
  if (!isTrustedOwner(stat.uid)) throw foreign(path, stat.uid);
  if (ownUid === undefined) return;
  const isOpen =
    (stat.mode & OTHERS_WRITE) !== 0 || ((stat.mode & GROUP_WRITE) !== 0 && !isPrivateGroup(stat.gid));
  if (isOpen)
    throw unsafe(
      `Other users can change ${path} (mode ${modeOf(stat)}).`,
      `Check its contents, then run chmod go-w ${path}`,
    );
}

function closeToOthers(directory: string): void {
  try {
    chmodSync(directory, 0o700);
  } catch {
    // A read-only file system: its contents can still be read, and nobody can change them.
  }
}

function modeOf(stat: Stats): string {
  return (stat.mode & 0o7777).toString(8);
}
