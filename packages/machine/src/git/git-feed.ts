/** The `git` feed (W3): performs a page's git requests and pushes the status when it changes. */
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { git } from '@tugdeck/local/git';
import {
  type GitAbout,
  type GitAsk,
  type GitFile,
  gitAboutSchema,
  gitAskSchema,
  type RepositoryStatus,
} from '@tugdeck/protocol/git/git-messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { FeedKind } from '../feeds/feed-kind.ts';
import { blame } from './blame.ts';
import { branches, createBranch, deleteBranch, switchBranch } from './branches.ts';
import { commit, commitDiff, commitFiles, log } from './commits.ts';
import { abortOperation, resolveConflict } from './conflicts.ts';
import { fileDiff } from './file-diffs.ts';
import type { GitRegistry } from './git-registry.ts';
import { discard, discardHunk, stage, stageHunk, unstage, unstageHunk } from './index-changes.ts';
import type { Repository } from './repository.ts';
import { checkGitPath, checkIndex } from './safe-paths.ts';
import { applyStash, dropStash, pushStash, stashes } from './stashes.ts';
import type { StatusWatch } from './status-watch.ts';
import { addWorktree, removeWorktree, worktrees } from './worktrees.ts';

/** Read-only requests. */
const READS = new Set<GitAsk['type']>([
  'status',
  'diff',
  'branches',
  'log',
  'commit.files',
  'commit.diff',
  'stashes',
  'blame',
  'worktrees',
]);

/** Requests that write to the worktree according to the index. */
const CHECKOUTS = new Set<GitAsk['type']>([
  'discard',
  'hunk.discard',
  'resolve',
  'abort',
  'branch.create',
  'branch.switch',
  'stash.push',
  'stash.apply',
]);

export function gitFeed(repositories: GitRegistry): FeedKind<GitAbout, GitAsk> {
  return {
    name: 'git',
    about: gitAboutSchema,
    ask: gitAskSchema,
    open({ project }, out) {
      const { watch, release } = repositories.hold(project);
      const unsubscribe = watch.subscribe((status) => out.push({ status }));
      return {
        async ask(ask) {
          if (ask.type === 'status') return watch.status();
          if (ask.type === 'init') return init(repositories, project, watch);
          try {
            return await perform({ repositories, project, watch }, ask);
          } finally {
            // Refresh before replying, so that the page gets the result and the new status together.
            if (!READS.has(ask.type)) await watch.refresh();
          }
        },
        close() {
          unsubscribe();
          release();
        },
      };
    },
  };
}

interface FeedTarget {
  readonly repositories: GitRegistry;
  readonly project: string;
  readonly watch: StatusWatch;
}

type RepositoryAsk = Exclude<GitAsk, { type: 'status' | 'init' }>;

async function perform({ repositories, project, watch }: FeedTarget, ask: RepositoryAsk): Promise<unknown> {
  const repository = await watch.repository();
  if (!repository) throw new CodedError('GIT_NO_REPOSITORY');
  for (const path of pathsOf(ask)) checkGitPath(path);
  if (CHECKOUTS.has(ask.type)) await checkIndex(repository);
  const { environmentOf, worktreeHome } = repositories.options;
  switch (ask.type) {
    case 'diff':
      return fileDiff(repository, {
        file: await fileNow(watch, ask.path),
        side: ask.side,
        isWhole: ask.whole,
      });
    case 'log':
      return log(repository, ask);
    case 'commit.files':
      return { files: await commitFiles(repository, ask.commit) };
    case 'commit.diff':
      return commitDiff(repository, ask.commit, ask.path, ask.whole);
    case 'branches':
      return { branches: await branches(repository) };
    case 'stashes':
      return { stashes: await stashes(repository) };
    case 'blame':
      return blame(repository, ask.path);
    case 'worktrees':
      return { worktrees: await worktrees(repository) };
    case 'commit':
      return { commit: await commit(repository, { ...ask, environment: environmentOf(project) }) };
    case 'worktree.add':
      return { path: await addWorktree(repository, { ...ask, home: worktreeHome }) };
    case 'worktree.remove':
      return removeWorktree(repository, await resolved(ask.path), ask.confirmed === true);
    case 'branch.create':
      return createBranch(repository, ask.name, ask.from, ask.switch === true);
    case 'branch.switch':
      return switchBranch(repository, ask.name, ask.remote === true);
    case 'branch.delete':
      return deleteBranch(repository, ask.name);
    case 'stash.push':
      return pushStash(repository, ask.message, ask.untracked === true);
    case 'stash.apply':
      return applyStash(repository, ask.commit, ask.pop === true);
    case 'stash.drop':
      confirm(ask.confirmed);
      return dropStash(repository, ask.commit);
    case 'abort':
      confirm(ask.confirmed);
      return abortOperation(repository, (await statusNow(watch)).operation);
    default:
      return change(repository, watch, ask);
  }
}

/** Paths inside the repository; `worktree.remove` names a location instead. */
function pathsOf(ask: RepositoryAsk): readonly string[] {
  if (ask.type === 'worktree.remove') return [];
  if ('paths' in ask) return ask.paths;
  return 'path' in ask && ask.path !== undefined ? [ask.path] : [];
}

type ChangeAsk = Extract<RepositoryAsk, { paths: string[] } | { hunk: string } | { type: 'resolve' }>;

/** Changes to the index or the worktree, always based on a fresh status. */
async function change(repository: Repository, watch: StatusWatch, ask: ChangeAsk): Promise<void> {
  if (ask.type === 'stage') return stage(repository, ask.paths);
  const status = await statusNow(watch);
  const hasCommit = status.commit !== undefined;
  switch (ask.type) {
    case 'unstage':
      return unstage(repository, filesOf(status, ask.paths), hasCommit);
    case 'discard':
      confirm(ask.confirmed);
      return discard(repository, filesOf(status, ask.paths));
    case 'hunk.stage':
      return stageHunk(repository, fileOf(status, ask.path), ask.hunk);
    case 'hunk.unstage':
      return unstageHunk(repository, fileOf(status, ask.path), ask.hunk, hasCommit);
    case 'hunk.discard':
      confirm(ask.confirmed);
      return discardHunk(repository, fileOf(status, ask.path), ask.hunk);
    case 'resolve':
      return resolveConflict(repository, fileOf(status, ask.path), ask.with);
  }
}

async function init(repositories: GitRegistry, project: string, watch: StatusWatch): Promise<unknown> {
  const directory = repositories.options.directoryOf(project);
  if ((await watch.status()).kind !== 'none')
    throw new CodedError('GIT_FAILED', 'This folder is already a Git repository.');
  // Git would adopt its configuration without anyone having reviewed it.
  if (await lstat(join(directory, '.git')).catch(() => undefined))
    throw new CodedError(
      'GIT_UNSAFE',
      'Another file or folder named .git already exists.',
      'Remove it, then try again.',
    );
  await git({
    directory,
    args: ['init', '--quiet'],
    environment: { GIT_CEILING_DIRECTORIES: dirname(directory) },
  });
  return watch.reopen();
}

function confirm(confirmed: boolean | undefined): void {
  if (!confirmed) throw new CodedError('NOT_CONFIRMED');
}

async function statusNow(watch: StatusWatch): Promise<RepositoryStatus> {
  return asRepository(await watch.refresh());
}

async function fileNow(watch: StatusWatch, path: string): Promise<GitFile> {
  return fileOf(asRepository(await watch.status()), path);
}

function asRepository(status: { kind: string }): RepositoryStatus {
  if (status.kind !== 'repository') throw new CodedError('GIT_NO_REPOSITORY');
  return status as RepositoryStatus;
}

function fileOf(status: RepositoryStatus, path: string): GitFile {
  const file = status.files.find((one) => one.path === path);
  if (!file) throw new CodedError('GIT_CHANGED');
  return file;
}

function filesOf(status: RepositoryStatus, paths: readonly string[]): GitFile[] {
  const known = new Map(status.files.map((file) => [file.path, file]));
  return paths.map((path) => {
    const file = known.get(path);
    if (!file) throw new CodedError('GIT_CHANGED');
    return file;
  });
}

async function resolved(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
