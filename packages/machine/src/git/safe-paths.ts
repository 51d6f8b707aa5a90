/**
 * Validates paths from a page before git sees them, and the paths in a repository's index before git writes files from it
 * (X1): none may leave the worktree or enter `.git`. Git checks tree entries itself, but not an index that came with
 * an archive: restoring from one could write hooks.
 */
import { isGitOwn, pathFault } from '@tugdeck/protocol/files/paths';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Repository } from './repository.ts';

const MAX_BYTES = 64 * 1024 * 1024;
/** Cheap test for suspicious paths; matches are checked one by one. */
const SUSPECT =
  /(?:^|[\0/])(?:\.\.?(?:[\0/]|$)|[^\0/]{0,8}git|\/)|[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/i;

export function checkGitPath(path: string): void {
  // An untracked folder ends in a slash.
  const fault = pathFault(path.endsWith('/') ? path.slice(0, -1) : path);
  if (fault) throw new CodedError(fault === 'outside' ? 'PATH_OUTSIDE' : 'PATH_INVALID');
  if (isGitOwn(path)) throw new CodedError('FILE_PROTECTED');
}

/** Called before everything that writes to the worktree according to the index. */
export async function checkIndex(repository: Repository): Promise<void> {
  const text = await repository.readText(['ls-files', '-z', '--cached'], { maxBytes: MAX_BYTES });
  if (!SUSPECT.test(text)) return;
  const isStray = (path: string) => pathFault(path) === 'outside' || isGitOwn(path);
  if (text.split('\0').some(isStray)) {
    throw new CodedError('GIT_UNSAFE', "This repository's index names files outside its worktree.");
  }
}
