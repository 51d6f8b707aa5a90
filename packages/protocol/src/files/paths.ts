/**
 * Paths as page and server speak of them: relative to the project, with `/`, the root is the empty path. Pure; what a
 * path leads to on a disk is the server's to find out (`server/files/confined`).
 */
const MAX_BYTES = 4096;
const MAX_PART = 255;
const HALVES = /\p{Cs}/u;

/** Why a path is none of a project's; nothing when it may be looked up. */
export type PathFault = 'outside' | 'unreadable';

export function pathFault(path: string): PathFault | undefined {
  if (path === '') return undefined;
  // A lone surrogate would become another name on its way to the disk.
  if (path.length > MAX_BYTES || path.includes('\0') || HALVES.test(path)) return 'unreadable';
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

/** Whether `path` is `folder` or lies in it. */
export function isWithin(folder: string, path: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** Letters that some file systems leave out when they compare names. */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
const GIT_OWN = /^(?:\.git|git~\d+)[ .]*(?::.*)?$/is;

/** What git keeps for itself: shown to nobody, changed by nobody but git. File systems may not tell `.GIT` from it. */
export function isGitOwn(path: string): boolean {
  return path.split('/').some((part) => GIT_OWN.test(part.replace(UNSEEN, '')));
}
