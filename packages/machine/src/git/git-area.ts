/** Serves the git area (W3): a project's repository; pushes the status when it changes. */
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { git } from '@tugdeck/local/git';
import { git as gitArea } from '@tugdeck/protocol/areas/git';
import type { GitFile, GitStatus, RepositoryStatus } from '@tugdeck/protocol/git/git-messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type ServedArea, serveArea } from '../areas/serve-area.ts';
import { blame } from './blame.ts';
import { branches, createBranch, deleteBranch, switchBranch } from './branches.ts';
import { commit, commitDiff, commitFiles, log } from './commits.ts';
import { abortOperation, resolveConflict } from './conflicts.ts';
import { fileDiff } from './file-diffs.ts';
import type { GitRegistry } from './git-registry.ts';
import { discard, discardHunk, stage, stageHunk, unstage, unstageHunk } from './index-changes.ts';
import { lookAtPush, push } from './push.ts';
import type { Repository } from './repository.ts';
import { checkGitPath, checkIndex } from './safe-paths.ts';
import { applyStash, dropStash, pushStash, stashes } from './stashes.ts';
import type { StatusWatch } from './status-watch.ts';
import { fetchRemote, pull, stopNetwork } from './sync.ts';
import { addWorktree, removeWorktree, worktrees } from './worktrees.ts';

export function serveGit(repositories: GitRegistry): ServedArea {
  const { environmentOf, worktreeHome, ownBranch = () => undefined } = repositories.options;
  return serveArea(gitArea, ({ project }, out) => {
    const { value: watch, release } = repositories.hold(project);
    const unsubscribe = watch.subscribe((status) => out.state(status));
    /** Only reads. */
    const read =
      <Input, Output>(run: (repository: Repository, input: Input) => Promise<Output>) =>
      async (input: Input) => {
        const repository = await watch.repository();
        if (!repository) throw new CodedError('GIT_NO_REPOSITORY');
        for (const path of pathsOf(input as PathInput)) checkGitPath(path);
        return run(repository, input);
      };
    /** Writes to the repository. */
    const change = <Input, Output>(run: (repository: Repository, input: Input) => Promise<Output>) => {
      const perform = read(run);
      return async (input: Input) => {
        try {
          return await perform(input);
        } finally {
          // Refresh before replying, so that the page gets the result and the new status together.
          await watch.refresh();
        }
      };
    };
    /** Writes to the worktree according to the index. */
    const checkout = <Input, Output>(run: (repository: Repository, input: Input) => Promise<Output>) =>
      change(async (repository, input: Input) => {
        await checkIndex(repository);
        return run(repository, input);
      });
    const statusNow = async () => asRepository(await watch.refresh());
    const pushPorts = (repository: Repository) => ({
      repository,
      environment: environmentOf(project),
      own: ownBranch(project),
    });
    const fileNow = async (path: string) => fileOf(await statusNow(), path);
    return {
      calls: {
        status: () => watch.status(),
        init: () => init(repositories, project, watch),
        diff: read(async (repository, { path, side, whole }) => {
          const file = fileOf(asRepository(await watch.status()), path);
          return fileDiff(repository, { file, side, isWhole: whole });
        }),
        log: read((repository, query) => log(repository, query)),
        'commit.files': read(async (repository, { commit: of }) => ({
          files: await commitFiles(repository, of),
        })),
        'commit.diff': read((repository, { commit: of, path, whole }) =>
          commitDiff(repository, of, path, whole),
        ),
        branches: read(async (repository) => ({ branches: await branches(repository) })),
        stashes: read(async (repository) => ({ stashes: await stashes(repository) })),
        blame: read((repository, { path }) => blame(repository, path)),
        worktrees: read(async (repository) => ({ worktrees: await worktrees(repository) })),
        stage: change((repository, { paths }) => stage(repository, paths)),
        unstage: change(async (repository, { paths }) => {
          const status = await statusNow();
          return unstage(repository, filesOf(status, paths), status.commit !== undefined);
        }),
        'hunk.stage': change(async (repository, { path, hunk }) =>
          stageHunk(repository, await fileNow(path), hunk),
        ),
        'hunk.unstage': change(async (repository, { path, hunk }) => {
          const status = await statusNow();
          return unstageHunk(repository, fileOf(status, path), hunk, status.commit !== undefined);
        }),
        commit: change(async (repository, input) => ({
          commit: await commit(repository, { ...input, environment: environmentOf(project) }),
        })),
        'branch.delete': change((repository, { name }) => deleteBranch(repository, name)),
        'stash.drop': change(async (repository, { commit: of, confirmed }) => {
          confirm(confirmed);
          return dropStash(repository, of);
        }),
        'worktree.add': change(async (repository, input) => ({
          path: await addWorktree(repository, { ...input, home: worktreeHome }),
        })),
        'worktree.remove': async ({ path: place, confirmed }) =>
          change(async (repository) => removeWorktree(repository, await resolved(place), confirmed === true))(
            {},
          ),
        fetch: change((repository, { remote }) => fetchRemote(repository, environmentOf(project), remote)),
        'push.look': read((repository, choice) => lookAtPush(pushPorts(repository), choice)),
        push: change((repository, request) => push(pushPorts(repository), request)),
        'network.stop': read(async (repository) => stopNetwork(repository)),
        pull: checkout((repository) => pull(repository, environmentOf(project))),
        discard: checkout(async (repository, { paths, confirmed }) => {
          const status = await statusNow();
          confirm(confirmed);
          return discard(repository, filesOf(status, paths));
        }),
        'hunk.discard': checkout(async (repository, { path, hunk, confirmed }) => {
          const file = await fileNow(path);
          confirm(confirmed);
          return discardHunk(repository, file, hunk);
        }),
        resolve: checkout(async (repository, { path, with: how }) =>
          resolveConflict(repository, await fileNow(path), how),
        ),
        abort: checkout(async (repository, { confirmed }) => {
          confirm(confirmed);
          return abortOperation(repository, (await statusNow()).operation);
        }),
        'branch.create': checkout((repository, { name, from, switch: isSwitched }) =>
          createBranch(repository, name, from, isSwitched === true),
        ),
        'branch.switch': checkout((repository, { name, remote }) =>
          switchBranch(repository, name, remote === true),
        ),
        'stash.push': checkout((repository, { message, untracked }) =>
          pushStash(repository, message, untracked === true),
        ),
        'stash.apply': checkout((repository, { commit: of, pop }) =>
          applyStash(repository, of, pop === true),
        ),
      },
      close() {
        unsubscribe();
        release();
      },
    };
  });
}

interface PathInput {
  readonly path?: string | undefined;
  readonly paths?: readonly string[];
}

/** Paths inside the repository. */
function pathsOf({ path, paths = [] }: PathInput): readonly string[] {
  return path === undefined ? paths : [path];
}

async function init(repositories: GitRegistry, project: string, watch: StatusWatch): Promise<GitStatus> {
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

function asRepository(status: GitStatus): RepositoryStatus {
  if (status.kind !== 'repository') throw new CodedError('GIT_NO_REPOSITORY');
  return status;
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
