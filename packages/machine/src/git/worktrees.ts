/**
 * Worktrees (W3): list, create with a branch for a new session, remove. New ones are created in our data directory,
 * never beside the project. One with changes is only removed if confirmed, the main one never.
 */
import { createHash } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { GitWorktree } from '@tugdeck/protocol/git/git-messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { checkBranchName, commitOf, type Repository } from './repository.ts';

/** Git can't list worktrees while another git creates one, whose entry exists before its files do. */
const HALF_WRITTEN = /failed to read .*commondir/;
const LIST_TRIES = 40;
const LIST_PAUSE_MS = 25;

/** Git's list of worktrees, for `parseWorktrees`. */
export async function readWorktreeList(
  repository: Pick<Repository, 'readText'>,
  tries = LIST_TRIES,
): Promise<string> {
  try {
    return await repository.readText(['worktree', 'list', '--porcelain', '-z']);
  } catch (error) {
    if (tries <= 1 || !(error instanceof Error && HALF_WRITTEN.test(error.message))) throw error;
    await pause(LIST_PAUSE_MS);
    return readWorktreeList(repository, tries - 1);
  }
}

export async function worktrees(repository: Repository): Promise<GitWorktree[]> {
  const text = await readWorktreeList(repository);
  const { root } = repository.place;
  return parseWorktrees(text, root).map(({ reason: _, ...tree }) => {
    const path = repository.worktreePath(tree.path);
    return { ...tree, path, current: path === root };
  });
}

export function parseWorktrees(text: string, root: string): (GitWorktree & { reason?: string })[] {
  return text
    .split('\0\0')
    .filter((block) => block.trim() !== '')
    .map((block, index) => {
      const fields = new Map(
        block.split('\0').map((line): [string, string] => {
          const at = line.indexOf(' ');
          return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
        }),
      );
      const path = fields.get('worktree') ?? '';
      const branch = fields.get('branch')?.replace(/^refs\/heads\//, '');
      const commit = fields.get('HEAD');
      return {
        path,
        ...(branch === undefined ? {} : { branch }),
        ...(commit === undefined || /^0+$/.test(commit) ? {} : { commit }),
        current: path === root,
        main: index === 0,
        locked: fields.has('locked'),
        ...(fields.has('locked') ? { reason: fields.get('locked') ?? '' } : {}),
        missing: fields.has('prunable'),
      };
    });
}

export interface NewWorktree {
  readonly branch: string;
  readonly from?: string | undefined;
  /** The folder of all our worktrees. */
  readonly home: string;
}

/** Uses the branch if it exists, otherwise creates it. */
export async function addWorktree(
  repository: Repository,
  { branch, from, home }: NewWorktree,
): Promise<string> {
  await checkBranchName(repository, branch);
  const start = await commitOf(repository, from ?? 'HEAD');
  if (start === undefined) {
    throw new CodedError('GIT_FAILED', 'A worktree needs at least one commit.');
  }
  const { commonDirectory, root } = repository.place;
  const owner = `${basename(root)}-${createHash('sha256').update(commonDirectory).digest('hex').slice(0, 8)}`;
  const folder = join(home, owner);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(await realpath(folder), branch.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^\.+/, ''));
  const existing = await commitOf(repository, `refs/heads/${branch}`);
  const options = existing === undefined ? ['--no-track', '-b', branch, path, start] : [path, branch];
  // Git's child processes must find the new worktree, not this one.
  await repository.write(['worktree', 'add', '--quiet', ...options], {
    environment: { GIT_WORK_TREE: undefined },
  });
  return path;
}

export async function removeWorktree(repository: Repository, path: string, isForced: boolean): Promise<void> {
  const found = (await worktrees(repository)).find((one) => one.path === path);
  if (!found) throw new CodedError('GIT_CHANGED', 'This worktree no longer exists.');
  if (found.main || found.current) throw new CodedError('GIT_FAILED', 'This worktree is in use.');
  const environment = { GIT_WORK_TREE: undefined };
  if (found.missing) {
    await repository.write(['worktree', 'prune'], { environment });
    return;
  }
  // Without `--force`, git refuses to remove one with changes.
  const options = isForced ? ['--force'] : [];
  await repository.write(['worktree', 'remove', ...options, '--', path], { environment });
}
