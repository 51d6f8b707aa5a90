/**
 * Checks that a directory or file belongs to us before it is read or written (X9): its owner, its mode, and every
 * directory and link on the path. After that, only this user and root can replace a part of the path, so check and
 * use do not race.
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
 * Resolves links and checks every directory above `path`: no other user may be able to replace a part of it. Missing
 * parts are left as they are. With `isParent`, entries inside `path` must be safe from replacement too.
 */
export function checkAncestors(path: string, isParent = false): string {
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
    const stat = lstatIfExists(next);
    if (stat?.isSymbolicLink()) {
      links += 1;
      if (links > MAX_LINKS) throw unsafe(`${path} leads through too many links.`);
      if (!isTrustedOwner(stat.uid)) throw wrongOwner(next, stat.uid);
      const target = readlinkSync(next);
      rest.unshift(...target.split(sep).filter((part) => part !== '' && part !== '.'));
      if (target.startsWith(sep)) at = sep;
      continue;
    }
    if (rest.length > 0 || isParent) {
      // A missing or invalid part is reported by the code that creates or opens the path.
      if (!stat?.isDirectory()) return join(next, ...rest);
      checkAncestor(next, stat);
    }
    at = next;
  }
  return at;
}

/**
 * Checks the data directory itself: only this user may change it. If others can merely read it, their access is
 * removed.
 */
export function checkOwnDirectory(directory: string): void {
  const real = checkAncestors(directory);
  const stat = lstatIfExists(real);
  if (ownUid === undefined || !stat?.isDirectory()) return;
  if (stat.uid !== ownUid) throw wrongOwner(directory, stat.uid);
  if ((stat.mode & (GROUP_WRITE | OTHERS_WRITE)) !== 0)
    throw unsafe(
      `Other users can change ${directory} (mode ${modeOf(stat)}).`,
      `Check its contents, then run chmod 700 ${directory}, or ${CHOOSE}.`,
    );
  if ((stat.mode & ANY_BUT_OWNER) !== 0) closeToOthers(real);
}

/** Checks a file or directory that we rely on; a link is fine if its target is ours too. */
export function checkOwn(path: string): void {
  const named = lstatIfExists(path);
  const stat = named?.isSymbolicLink() ? lstatIfExists(checkAncestors(path)) : named;
  if (stat) checkGuarded(path, stat);
}

/** Reads a file of this user, or returns `undefined` if it does not exist. Checks the opened file, not the path. */
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

/** `lstat` that returns `undefined` if nothing exists at the path. */
export function lstatIfExists(path: string): Stats | undefined {
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

export function wrongOwner(path: string, uid: number): CodedError {
  const hint =
    ownUid === 0 ? `Run tugdeck as that user instead of root, or ${CHOOSE}.` : `Move it away, or ${CHOOSE}.`;
  return unsafe(`${path} belongs to another user (uid ${uid}).`, hint);
}

/** In a sticky directory only the owner of an entry can replace it, and the entry's owner is checked next. */
function checkAncestor(directory: string, stat: Stats): void {
  if (!isTrustedOwner(stat.uid)) throw wrongOwner(directory, stat.uid);
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
  if (!isTrustedOwner(stat.uid)) throw wrongOwner(path, stat.uid);
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
    // A read-only file system: nobody can change its contents.
  }
}

function modeOf(stat: Stats): string {
  return (stat.mode & 0o7777).toString(8);
}
