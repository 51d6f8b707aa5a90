/**
 * Paths used between page and server: relative to the project, with `/`; the root is the empty path. Pure; the server
 * resolves them on disk (`local/files/confined`).
 */
const MAX_BYTES = 4096;
const MAX_PART = 255;
const LONE_SURROGATE = /\p{Cs}/u;

/** Why a path is invalid; undefined if it may be resolved. */
export type PathFault = 'outside' | 'unreadable';

export function pathFault(path: string): PathFault | undefined {
  if (path === '') return undefined;
  // A lone surrogate would become a different name on disk.
  if (path.length > MAX_BYTES || path.includes('\0') || LONE_SURROGATE.test(path)) return 'unreadable';
  if (path.startsWith('/') || /^[a-zA-Z]:[\\/]/.test(path)) return 'outside';
  for (const part of path.split('/')) {
    if (part === '..') return 'outside';
    if (part === '' || part === '.' || part.length > MAX_PART) return 'unreadable';
  }
  return undefined;
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Whether `path` is `folder` or inside it. */
export function isWithin(folder: string, path: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** Characters that some file systems ignore when they compare names. */
const IGNORED_CHARACTERS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
const GIT_OWN = /^(?:\.git|git~\d+)[ .]*(?::.*)?$/is;

/** Git's own files: hidden, and changed only by git. Some file systems treat `.GIT` as the same name. */
export function isGitOwn(path: string): boolean {
  return path.split('/').some((part) => GIT_OWN.test(part.replace(IGNORED_CHARACTERS, '')));
}
