/** The tree for "compare with branch": where the branch and the current work diverged. */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Shadow } from '@tugdeck/trees/shadow';
import { branches } from '../git/branches.ts';
import { commitOf, Repository } from '../git/repository.ts';

export async function branchTree(shadow: Shadow, branch: string): Promise<string> {
  const repository = repositoryOf(shadow);
  await shadow.open();
  const known = (await branches(repository)).find(({ name }) => name === branch);
  if (!known) throw new CodedError('REVIEW_NO_TREE', 'This branch no longer exists.');
  const head = await commitOf(repository, 'HEAD');
  const { code, stdout } = head
    ? await repository.read(['merge-base', known.commit, head], { answers: [1] })
    : { code: 1, stdout: Buffer.alloc(0) };
  return commitTree(shadow, code === 0 ? stdout.toString('latin1').trim() : known.commit);
}

/** The tree of the project's folder in a commit. */
export async function commitTree(shadow: Shadow, commit: string): Promise<string> {
  await shadow.open();
  const folder = shadow.prefix.replace(/\/$/, '');
  const { code: found, stdout: tree } = await repositoryOf(shadow).read(
    [
      'rev-parse',
      '--verify',
      '--quiet',
      '--end-of-options',
      `${commit}^{tree}${folder === '' ? '' : `:${folder}`}`,
    ],
    { answers: [1, 128] },
  );
  if (found !== 0) throw new CodedError('REVIEW_NO_TREE', 'The project does not exist there.');
  return tree.toString('latin1').trim();
}

export async function branchNames(shadow: Shadow): Promise<string[]> {
  if (!shadow.source) return [];
  return (await branches(repositoryOf(shadow))).map(({ name }) => name).slice(0, 500);
}

function repositoryOf(shadow: Shadow): Repository {
  const { source, project } = shadow;
  if (!source) throw new CodedError('GIT_NO_REPOSITORY');
  // Only used for reading.
  return new Repository({ ...source, project }, () => false);
}
