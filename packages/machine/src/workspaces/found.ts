/** Worktrees that others created (B89): listed, never touched, and adopted only if the user wants it. */
import { realpath } from 'node:fs/promises';
import { basename, relative, sep } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { freeName } from '@tugdeck/protocol/workspaces/names';
import type { FoundWorktree } from '@tugdeck/protocol/workspaces/workspace';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { findRepository } from '@tugdeck/trees/find-repository';
import type { Repository } from '../git/repository.ts';
import { parseWorktrees, readWorktreeList } from '../git/worktrees.ts';
import { adoptedRow } from './adopt-projects.ts';

const MAX_FOUND = 500;

/** All but the main one, the project's own and those of `rows`. */
export async function foundWorktrees(
  repository: Repository,
  rows: readonly StoredWorkspace[],
): Promise<FoundWorktree[]> {
  const { root } = repository.place;
  const own = new Set(rows.map(({ path }) => path));
  return parseWorktrees(await readWorktreeList(repository), root)
    .map((one) => ({ ...one, path: repository.worktreePath(one.path) }))
    .filter(({ main, path }) => !main && path !== root && !own.has(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .slice(0, MAX_FOUND)
    .map(({ path, branch, commit, missing, reason }) => ({
      path,
      ...(branch === undefined ? {} : { branch: branch.slice(0, 300) }),
      ...(commit === undefined ? {} : { commit }),
      ...(reason === undefined ? {} : { lock: reason.slice(0, 300) }),
      isMissing: missing,
    }));
}

export interface AdoptInput {
  readonly id: string;
  readonly project: string;
  readonly path: string;
  readonly now: number;
}

/** The row of a found worktree. Refuses one that another program locked: it is in use there. */
export async function adoptFound(
  repository: Repository,
  rows: readonly StoredWorkspace[],
  { id, project, path, now }: AdoptInput,
): Promise<StoredWorkspace> {
  const found = (await foundWorktrees(repository, rows)).find((one) => one.path === path);
  if (!found || found.isMissing)
    throw new CodedError('WORKSPACE_NOT_FOUND', 'This worktree no longer exists.');
  if (found.lock !== undefined) {
    throw new CodedError(
      'WORKSPACE_UNSAFE',
      `Another program locked this worktree${found.lock === '' ? '' : `: ${found.lock.slice(0, 100)}`}.`,
      'Unlock it with git worktree unlock if nothing else uses it.',
    );
  }
  const place = await findRepository(await realpath(path));
  const { commonDirectory, root } = repository.place;
  if (place.kind !== 'repository' || place.place.commonDirectory !== commonDirectory) {
    throw new CodedError('WORKSPACE_UNSAFE', `${path} belongs to another repository.`);
  }
  const taken = rows.filter((row) => row.project === project).map(({ name }) => name);
  return {
    ...adoptedRow(place.place, { id, project, createdAt: now }),
    name: freeName(basename(path), taken),
    folder: relative(root, repository.place.project).split(sep).join('/'),
  };
}
