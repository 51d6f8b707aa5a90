/** The branch that a workspace lands on, and where it is checked out (B47). */

import { join } from 'node:path';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { findRepository } from '@tugdeck/trees/find-repository';
import { checkBranchName, commitOf, Repository } from '../../git/repository.ts';
import { localOf, short } from '../base.ts';
import { gitEntries } from '../git-entry.ts';

export interface LandTarget {
  /** Its full name. */
  readonly ref: string;
  readonly commit: string;
  /** The worktree that has it checked out. */
  readonly worktree: Repository | undefined;
}

/** Undefined if the workspace has no base branch, or only a remote one. */
export async function landTarget(
  repository: Repository,
  row: StoredWorkspace,
  { onto, isTrusted }: { onto: string | undefined; isTrusted: () => boolean },
): Promise<LandTarget | undefined> {
  const ref = onto === undefined ? await ownBase(repository, row) : await named(repository, onto);
  if (ref === undefined) return undefined;
  const commit = await commitOf(repository, ref);
  if (commit === undefined) return undefined;
  if (short(ref) === row.branch) throw new CodedError('INVALID_MESSAGE', "A branch can't land on itself.");
  return { ref, commit, worktree: await checkedOut(repository, ref, isTrusted) };
}

async function ownBase(repository: Repository, { baseRef }: StoredWorkspace): Promise<string | undefined> {
  if (baseRef === undefined || baseRef.startsWith('refs/heads/')) return baseRef;
  return localOf(repository, baseRef);
}

async function named(repository: Repository, onto: string): Promise<string> {
  await checkBranchName(repository, onto);
  return `refs/heads/${onto}`;
}

async function checkedOut(
  repository: Repository,
  ref: string,
  isTrusted: () => boolean,
): Promise<Repository | undefined> {
  for (const { path, branch } of await gitEntries(repository)) {
    if (branch !== undefined && `refs/heads/${branch}` !== ref) continue;
    const found = await findRepository(path).catch(() => undefined);
    if (found?.kind !== 'repository' || found.place.root !== path) continue;
    if (branch === undefined) {
      if (isRebasing(found.place.gitDirectory, ref)) {
        throw new CodedError('WORKSPACE_BUSY', `${short(ref)} is being rebased in ${path}.`);
      }
      continue;
    }
    return new Repository(found.place, isTrusted);
  }
  return undefined;
}

/** During a rebase the branch is not checked out, but git moves it at the end. */
function isRebasing(gitDirectory: string, ref: string): boolean {
  return ['rebase-merge', 'rebase-apply'].some(
    (name) => readBoundedText(join(gitDirectory, name, 'head-name'), { maxBytes: 4096 })?.trim() === ref,
  );
}
