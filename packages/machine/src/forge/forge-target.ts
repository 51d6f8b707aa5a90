/** The repository of a forge to which pull requests go, by the remotes. */
import { withoutPasswords } from '@tugdeck/local/git';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { remotesOf, usualRemote } from '../git/remotes.ts';
import type { Repository } from '../git/repository.ts';
import { type ForgeRepository, forgeRepository } from './forge-address.ts';

export interface ForgeTarget {
  /** The remote of `into`. */
  readonly remote: string;
  /** Where branches are pushed. */
  readonly from: ForgeRepository;
  /** In a fork: the repository that it was made from. */
  readonly into: ForgeRepository;
}

export async function targetOf(repository: Repository, branch?: string): Promise<ForgeTarget> {
  const remotes = await remotesOf(repository);
  const remote = await usualRemote(repository, branch, remotes);
  const from = remote === undefined ? undefined : await forgeOf(repository, remote);
  if (remote === undefined || !from) {
    throw new CodedError(
      'FORGE_FAILED',
      remote === undefined
        ? 'This repository has no remote.'
        : 'The remote of this repository is not on a known forge.',
      remote === undefined
        ? 'Add one in a terminal: git remote add origin ADDRESS'
        : 'Push the branch, then create the pull request there.',
    );
  }
  const parent = remote === 'upstream' || !remotes.includes('upstream') ? undefined : 'upstream';
  const into = parent === undefined ? undefined : await forgeOf(repository, parent);
  return into && parent !== undefined ? { remote: parent, from, into } : { remote, from, into: from };
}

async function forgeOf(repository: Repository, remote: string): Promise<ForgeRepository | undefined> {
  const { stdout } = await repository.step(['remote', 'get-url', '--', remote]);
  return forgeRepository(withoutPasswords(stdout.toString('utf8').trim()));
}
