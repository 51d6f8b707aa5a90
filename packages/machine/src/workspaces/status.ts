/** A workspace compared with its base, and what doesn't work in it (B31, B36). Read from git each time. */
import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { WorkspaceStatus } from '@tugdeck/protocol/workspaces/workspace';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { readHead } from '@tugdeck/trees/read-head';
import { checkBranchName, commitOf, type Repository } from '../git/repository.ts';
import { zero } from './create.ts';

const MAX_LOG = 16 * 1024 * 1024;

/** `repository` is the workspace's own worktree. */
export async function readWorkspaceStatus(
  repository: Repository,
  { branch: known, baseRef, baseCommit }: StoredWorkspace,
): Promise<WorkspaceStatus> {
  const head = readHead(repository.place);
  const branch = await currentBranch(repository);
  const base = (baseRef === undefined ? undefined : await commitOf(repository, baseRef)) ?? baseCommit;
  const counts = head && base ? await distance(repository, head.commit, base) : undefined;
  const hooks = await missingHooks(repository);
  return {
    ...(branch === undefined ? {} : { branch }),
    ...(counts === undefined ? {} : counts),
    ...(branch !== undefined && head === undefined ? { branchGone: true } : {}),
    ...(known !== undefined && branch !== known ? { switchedFrom: known } : {}),
    ...(hooks === undefined ? {} : { missingHooks: hooks.slice(0, 300) }),
  };
}

/** The branch that HEAD names, also if it was deleted. */
async function currentBranch(repository: Repository): Promise<string | undefined> {
  const { code, stdout } = await repository.read(['symbolic-ref', '--quiet', 'HEAD'], { answers: [1, 128] });
  return code === 0
    ? stdout
        .toString('utf8')
        .trim()
        .replace(/^refs\/heads\//, '')
        .slice(0, 300)
    : undefined;
}

/** Commits that only the workspace has, and those that only its base has. */
async function distance(repository: Repository, head: string, base: string) {
  const args = ['rev-list', '--left-right', '--count', `${head}...${base}`, '--'];
  const { code, stdout } = await repository.read(args, { answers: [128] });
  if (code !== 0) return undefined; // The base's commits are gone, or a shallow clone lacks them.
  const [ahead = '0', behind = '0'] = stdout.toString('utf8').trim().split(/\s+/);
  return { ahead: Number(ahead), behind: Number(behind) };
}

/** A relative `core.hooksPath` means another folder in each worktree, where it may not exist. */
async function missingHooks(repository: Repository): Promise<string | undefined> {
  // Our own calls run without hooks, so the file is read.
  const file = join(repository.place.commonDirectory, 'config');
  const args = ['config', '--file', file, '--get', 'core.hooksPath'];
  const { code, stdout } = await repository.read(args, { answers: [1] });
  const path = code === 0 ? stdout.toString('utf8').trim() : '';
  if (path === '' || isAbsolute(path) || path.startsWith('~')) return undefined;
  return existsSync(join(repository.place.root, path)) ? undefined : path;
}

export async function recreateBranch(repository: Repository, { baseCommit }: StoredWorkspace): Promise<void> {
  const branch = await currentBranch(repository);
  if (branch === undefined || (await commitOf(repository, 'HEAD')) !== undefined) {
    throw new CodedError('GIT_CHANGED', 'The branch already exists.');
  }
  await checkBranchName(repository, branch);
  const commit = await lastCommit(repository, baseCommit);
  if (commit === undefined) throw new CodedError('GIT_FAILED', 'The last commit of the branch is unknown.');
  await repository.write(['update-ref', '--create-reflog', `refs/heads/${branch}`, commit, zero(commit)]);
}

/** The last commit in the worktree's own reflog, otherwise the base. */
async function lastCommit(repository: Repository, base: string | undefined): Promise<string | undefined> {
  const file = join(repository.place.gitDirectory, 'logs', 'HEAD');
  const lines = (readBoundedText(file, { maxBytes: MAX_LOG }) ?? '').trimEnd().split('\n').reverse();
  for (const line of lines) {
    const commit = /^[0-9a-f]+ ([0-9a-f]{40,64}) /.exec(line)?.[1];
    if (commit !== undefined && (await commitOf(repository, commit)) !== undefined) return commit;
  }
  return base;
}
