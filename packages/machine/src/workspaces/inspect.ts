/**
 * Inspects a workspace before it is archived (B60): changes, commits that only it has, ignored files, and reasons to
 * refuse. Reads git and the disk each time; throws if something can't be read.
 */
import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { WorkspaceContents } from '@tugdeck/protocol/workspaces/workspace';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { findRepository } from '@tugdeck/trees/find-repository';
import { commitOf, Repository } from '../git/repository.ts';
import { readStatus } from '../git/status.ts';

/** Ignored folders that programs recreate; not archived. */
const REGENERATED = new Set([
  'node_modules',
  '.venv',
  'venv',
  '__pycache__',
  '.tox',
  '.gradle',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.next',
  '.nuxt',
  '.turbo',
  '.parcel-cache',
  '.svelte-kit',
  'bower_components',
  'target',
  'dist',
  'build',
  'coverage',
]);
const MAX_LISTED = 200;
const LIST = { maxBytes: 64 * 1024 * 1024, timeoutMs: 60_000 };
/** Published default branches, and local ones. */
const PUBLISHED = ['refs/remotes/origin/HEAD', 'refs/remotes/origin/main', 'refs/remotes/origin/master'];
const LOCAL = ['refs/heads/main', 'refs/heads/master'];

/** The repository of a project's own checkout. */
export async function openCheckout(path: string, isTrusted: () => boolean): Promise<Repository> {
  const found = await findRepository(path);
  if (found.kind !== 'repository') {
    throw new CodedError(
      'GIT_NO_REPOSITORY',
      found.kind === 'bare' ? 'A bare repository has no checkout.' : undefined,
      'Workspaces need a git repository with at least one commit.',
    );
  }
  return new Repository(found.place, isTrusted);
}

/** The worktree of a workspace, checked to belong to the repository it was created from. */
export async function openWorktree(row: StoredWorkspace, isTrusted: () => boolean): Promise<Repository> {
  const found = await findRepository(row.path).catch(() => undefined);
  if (found?.kind !== 'repository' || found.place.root !== row.path) {
    throw new CodedError('WORKSPACE_MISSING', `${row.path} is no longer a worktree.`);
  }
  if (found.place.commonDirectory !== row.repository) {
    throw new CodedError('WORKSPACE_UNSAFE', `${row.path} belongs to another repository now.`);
  }
  return new Repository(found.place, isTrusted);
}

export type Inspection = Omit<WorkspaceContents, 'terminals' | 'agents'>;

export async function inspect(repository: Repository, row: StoredWorkspace): Promise<Inspection> {
  const status = await readStatus(repository);
  const { files, more, branch, commit, operation } = status;
  const unmerged = files.some(({ conflict }) => conflict !== undefined);
  const refusal = operation
    ? `A ${operation} is not finished.`
    : unmerged
      ? 'Some files have unresolved conflicts.'
      : undefined;
  const [ignored, dropped] = await ignoredFiles(repository);
  const kept = await keptBy(repository, row);
  return {
    changed: files.filter(({ work }) => work !== '.' && work !== '?').length + more,
    untracked: files.filter(({ work }) => work === '?').length,
    staged: files.filter(({ index }) => index !== '.').length,
    ownCommits: commit === undefined ? 0 : await count(repository, ['HEAD', '--not', '--remotes', ...kept]),
    ignored: ignored.slice(0, MAX_LISTED),
    dropped: await Promise.all(
      dropped
        .slice(0, MAX_LISTED)
        .map(async (path) => ({ path, bytes: await bytesIn(join(repository.place.root, path)) })),
    ),
    ...(branch === undefined ? {} : { branch }),
    deletesBranch: await isBranchUnneeded(repository, row, branch, kept),
    ...(refusal === undefined ? {} : { refusal }),
  };
}

/** Only a branch that was created for the workspace and whose commits are all in its base (B63, B66). */
async function isBranchUnneeded(
  repository: Repository,
  { madeBranch, branch: made }: StoredWorkspace,
  branch: string | undefined,
  kept: readonly string[],
): Promise<boolean> {
  if (!madeBranch || branch === undefined || branch !== made || kept.length === 0) return false;
  return (await count(repository, [`refs/heads/${branch}`, '--not', ...kept])) === 0;
}

/** Commits that the workspace shares with others now: those of the base and the default branches. */
function keptBy(repository: Repository, { baseRef, branch }: StoredWorkspace): Promise<string[]> {
  const refs = [baseRef, ...PUBLISHED, ...LOCAL].filter((ref) => ref !== undefined);
  return commitsOf(repository, refs, branch);
}

/**
 * The commit that an archive relies on, because it stays in the repository: the published default branch, or the local
 * one if nothing is published. One branch only: any other may be deleted, including the base (B90).
 */
export async function outlasting(repository: Repository, { branch }: StoredWorkspace): Promise<string[]> {
  return (await commitsOf(repository, [...PUBLISHED, ...LOCAL], branch)).slice(0, 1);
}

async function commitsOf(
  repository: Repository,
  refs: readonly string[],
  own: string | undefined,
): Promise<string[]> {
  const commits = new Set<string>();
  for (const ref of refs) {
    if (ref === `refs/heads/${own}`) continue;
    const commit = await commitOf(repository, ref);
    if (commit !== undefined) commits.add(commit);
  }
  return [...commits];
}

async function count(repository: Repository, revisions: readonly string[]): Promise<number> {
  return Number((await repository.readText(['rev-list', '--count', ...revisions, '--'], LIST)).trim());
}

/** Ignored files and folders: those that are kept, and the folders that programs create again. */
export async function ignoredFiles(repository: Repository): Promise<[kept: string[], dropped: string[]]> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  const paths = (await repository.readText(args, LIST)).split('\0').filter(Boolean);
  // Git also lists folders that aren't ignored but have only ignored files, and then lists these files too.
  const withListed = new Set(paths.flatMap(foldersOf));
  const isDropped = (path: string) =>
    path.endsWith('/') && REGENERATED.has(basename(path)) && !withListed.has(path);
  return [paths.filter((path) => !isDropped(path)), paths.filter(isDropped)];
}

/** `a/` and `a/b/` for `a/b/c` and for `a/b/c/`. */
function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf('/'); at >= 0 && at < path.length - 1; at = path.indexOf('/', at + 1)) {
    folders.push(path.slice(0, at + 1));
  }
  return folders;
}

/** Size of all files below a path. Does not follow links. */
export async function bytesIn(path: string): Promise<number> {
  const facts = await lstat(path).catch(() => undefined);
  if (!facts) return 0;
  if (!facts.isDirectory()) return facts.blocks === undefined ? facts.size : facts.blocks * 512;
  const entries: Dirent[] = await readdir(path, { withFileTypes: true }).catch(() => []);
  let sum = 0;
  for (const entry of entries) sum += await bytesIn(join(path, entry.name));
  return sum;
}
