/** Merge conflicts (W3): take one side, mark a file as resolved, or abort the operation. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeNoFollow } from '@tugdeck/local/files/no-follow-file';
import type { GitFile, GitOperation } from '@tugdeck/protocol/git/git-messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { hasOurs, hasTheirs } from './file-diffs.ts';
import type { Repository } from './repository.ts';

export type Resolution = 'ours' | 'theirs' | 'mine';

export async function resolveConflict(
  repository: Repository,
  { path, conflict }: GitFile,
  resolution: Resolution,
): Promise<void> {
  if (conflict === undefined) throw new CodedError('GIT_CHANGED');
  await repository.exclusive(async () => {
    if (resolution !== 'mine') {
      const hasSide = resolution === 'ours' ? hasOurs(conflict) : hasTheirs(conflict);
      if (hasSide) await repository.step(['checkout', '-q', `--${resolution}`, '--', path]);
      else if (await isFile(repository, path)) await removeNoFollow({ root: repository.place.root, path });
    }
    await repository.step(['add', '--all', '--', path]);
  });
}

async function isFile(repository: Repository, path: string): Promise<boolean> {
  return lstat(join(repository.place.root, path)).then(
    () => true,
    () => false,
  );
}

const ABORTS: Readonly<Record<GitOperation, readonly string[] | undefined>> = {
  merge: ['merge', '--abort'],
  rebase: ['rebase', '--abort'],
  'cherry-pick': ['cherry-pick', '--abort'],
  revert: ['revert', '--abort'],
  bisect: undefined,
};

export async function abortOperation(
  repository: Repository,
  operation: GitOperation | undefined,
): Promise<void> {
  const args = operation && ABORTS[operation];
  if (!args)
    throw new CodedError('GIT_CHANGED', 'Nothing to abort: no merge, rebase or cherry-pick is in progress.');
  await repository.write(args);
}
