/**
 * Git's entry of a workspace in `.git/worktrees` (B14): ours are locked with a reason that names this machine and the
 * workspace. An entry with another reason is never touched.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import type { Repository } from '../git/repository.ts';
import { parseWorktrees, readWorktreeList } from '../git/worktrees.ts';

/** Git's own reason while it checks out files. */
const INITIALIZING = 'initializing';
const POLL_MS = 50;
/** For systems on which we can't see whether that git still runs. */
const MAX_WAIT_MS = 60_000;

export interface GitEntry {
  readonly path: string;
  readonly branch: string | undefined;
  readonly commit: string | undefined;
  /** Undefined if it is not locked. */
  readonly reason: string | undefined;
}

export async function gitEntry(repository: Repository, path: string): Promise<GitEntry | undefined> {
  return (await gitEntries(repository)).find((entry) => entry.path === path);
}

export async function gitEntries(repository: Repository): Promise<GitEntry[]> {
  const text = await readWorktreeList(repository);
  return parseWorktrees(text, repository.place.root).map(({ path, branch, commit, reason }) => ({
    path: repository.worktreePath(path),
    branch,
    commit,
    reason,
  }));
}

export function lockReason(machine: string, { id }: Pick<StoredWorkspace, 'id'>): string {
  return `tugdeck:${machine}:${id}`;
}

/** Removes the entry of a worktree that was deleted by hand; its branch stays. */
export async function unlistMissing(
  repository: Repository,
  { path }: Pick<StoredWorkspace, 'path'>,
): Promise<void> {
  const text = await readWorktreeList(repository);
  if (!text.split('\0').includes(`worktree ${path}`)) return;
  await repository.write(['worktree', 'unlock', '--', path]).catch(() => undefined);
  await repository.write(['worktree', 'remove', '--force', '--', path]);
}

/** A git that outlived a killed server may still check out files. Resolves once it has ended. */
export async function waitForCheckout(repository: Repository, path: string): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS;
  while ((await gitEntry(repository, path))?.reason === INITIALIZING) {
    if (!isGitRunning(path) || performance.now() > deadline) return;
    await pause(POLL_MS);
  }
}

export function isHalfMade({ reason }: GitEntry): boolean {
  return reason === INITIALIZING;
}

/** Whether a process has this path as an argument. True where we can't see it. */
function isGitRunning(path: string): boolean {
  if (!existsSync('/proc/self/cmdline')) return true;
  return readdirSync('/proc').some((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(join('/proc', pid, 'cmdline'), 'utf8')
        .split('\0')
        .includes(path);
    } catch {
      return false; // It ended.
    }
  });
}
