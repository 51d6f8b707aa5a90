/**
 * Paths of a page before git sees them, and paths of a repository's own index before git writes by it (X1): none leads
 * out of the work tree, none into what git keeps for itself. Git checks the names of trees that it takes up, but not
 * those of an index that came with an archive: restoring by one would write hooks.
 */
import { isGitOwn, pathFault } from '@tugdeck/protocol/files/paths';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Repository } from './repository.ts';

const MAX_BYTES = 64 * 1024 * 1024;
/** What can only be stray: looked at closer only where it is found. */
const SUSPECT =
  /(?:^|[\0/])(?:\.\.?(?:[\0/]|$)|[^\0/]{0,8}git|\/)|[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/i;

export function checkGitPath(path: string): void {
  // A folder that git looks no further into ends in a slash.
  const fault = pathFault(path.endsWith('/') ? path.slice(0, -1) : path);
  if (fault) throw new CodedError(fault === 'outside' ? 'PATH_OUTSIDE' : 'PATH_INVALID');
  if (isGitOwn(path)) throw new CodedError('FILE_PROTECTED');
}

/** Before everything that writes to the work tree by the index. */
export async function checkIndex(repository: Repository): Promise<void> {
  const text = await repository.readText(['ls-files', '-z', '--cached'], { maxBytes: MAX_BYTES });
  if (!SUSPECT.test(text)) return;
  const isStray = (path: string) => pathFault(path) === 'outside' || isGitOwn(path);
  if (text.split('\0').some(isStray)) {
    throw new CodedError('GIT_UNSAFE', 'The index of this repository names files outside of its work tree.');
  }
}
