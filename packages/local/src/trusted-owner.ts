/**
 * Decides which users and groups may own or change the files that we rely on: this user, root, and groups without
 * other members. Reads the user and group files only if a mode makes it necessary.
 */
import { readFileSync } from 'node:fs';

/** Undefined on systems without user ids (Windows), where every check passes. */
export const ownUid: number | undefined = process.geteuid?.();

const ROOT = 0;
/** macOS: its members can become root with `sudo`. */
const MAC_ADMIN = 80;

/** Root can read and change everything anyway. */
export function isTrustedOwner(uid: number): boolean {
  return ownUid === undefined || uid === ownUid || uid === ROOT || isUnmapped(uid);
}

/** For directories above ours, which distributions leave writable by administrator groups. */
export function isTrustedGroup(gid: number): boolean {
  return gid === ROOT || (process.platform === 'darwin' && gid === MAC_ADMIN) || isPrivateGroup(gid);
}

/**
 * A group without other members: `umask 002` is the default where every user has one. Never group 0, which services
 * share.
 */
export function isPrivateGroup(gid: number): boolean {
  // On macOS the files do not list people, and all users share one group.
  if (process.platform !== 'linux' || gid === ROOT || ownUid === undefined) return false;
  const users = rowsOf('/etc/passwd').map(([name = '', , uid, primary]) => ({
    name,
    isTrusted: Number(uid) === ownUid || Number(uid) === ROOT,
    primary: Number(primary),
  }));
  if (users.some(({ primary, isTrusted }) => primary === gid && !isTrusted)) return false;
  const group = rowsOf('/etc/group').find(([, , id]) => Number(id) === gid);
  // Users from a directory service are not in these files; their private group has the user's number.
  if (!group) return gid === ownUid;
  const members = (group[3] ?? '').split(',').filter(Boolean);
  return members.every((member) => users.some(({ name, isTrusted }) => name === member && isTrusted));
}

function rowsOf(file: string): string[][] {
  return readIfThere(file)
    .split('\n')
    .map((line) => line.split(':'));
}

/** In a container without the host's users, files of the host's root have the overflow id. */
function isUnmapped(uid: number): boolean {
  if (process.platform !== 'linux' || uid !== Number(readIfThere('/proc/sys/kernel/overflowuid')))
    return false;
  const ranges = readIfThere('/proc/self/uid_map').trim().split('\n');
  return !ranges.some((range) => {
    const [first = 0, , count = 0] = range.trim().split(/\s+/).map(Number);
    return uid >= first && uid < first + count;
  });
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // A system without the file lists nobody.
  }
}
