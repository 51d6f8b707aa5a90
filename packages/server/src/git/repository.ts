/**
 * One repository, as all of the server's git sees it: reads through a view that has nothing of its configuration that
 * could run (X1), and writes, one after the other, that do what the user's own `git` would, without hooks. A repository
 * that would run something on a write is written to only when its project is trusted. Holds no status and no watch.
 */
import { access } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type GitAnswer, type GitCall, git } from '@tugdeck/local/git';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { RepositoryPlace } from '@tugdeck/trees/find-repository';
import { type GitView, gitView } from '@tugdeck/trees/guard/git-view';
import { checkPlainFiles } from '@tugdeck/trees/guard/plain-files';
import { checkWritable } from './write-guard.ts';

export type GitOptions = Omit<GitCall, 'directory' | 'args'>;

/** An agent's git may hold the index for a moment. */
const LOCK_WAITS_MS = [100, 200, 400, 800];

/** Files go through filters and line ends in memory on their way in and out. */
const WRITE_MEMORY = 4 * 1024 * 1024 * 1024;

export class Repository {
  readonly place: RepositoryPlace;
  readonly #isTrusted: () => boolean;
  #view: GitView | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(place: RepositoryPlace, isTrusted: () => boolean) {
    this.place = place;
    this.#isTrusted = isTrusted;
  }

  async read(args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> {
    const view = await gitView(this.place);
    this.#view = view;
    const environment = { ...view.environment, ...options.environment };
    return git({ ...options, directory: this.place.root, args, environment });
  }

  /** Where a worktree is: git takes the main one to be where the common directory is, which is the view's. */
  worktreePath(path: string): string {
    if (path !== this.#view?.directory) return path;
    const { commonDirectory } = this.place;
    return basename(commonDirectory) === '.git' ? dirname(commonDirectory) : commonDirectory;
  }

  async readText(args: readonly string[], options: GitOptions = {}): Promise<string> {
    return (await this.read(args, options)).stdout.toString('utf8');
  }

  write(args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> {
    return this.inTurn(() => this.step(args, options));
  }

  /** Several steps that nothing else of ours may come between. Steps inside use `step`, not `write`. */
  inTurn<T>(act: () => Promise<T>): Promise<T> {
    const next = this.#last.then(act, act);
    this.#last = next.catch(() => undefined);
    return next;
  }

  async step(args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> {
    await checkPlainFiles(this.place);
    if (!this.#isTrusted()) await checkWritable(this.place, options.withHooks === true);
    return this.#whenUnlocked(() => git(this.#call(args, options)));
  }

  async #whenUnlocked(act: () => Promise<GitAnswer>): Promise<GitAnswer> {
    for (const wait of LOCK_WAITS_MS) {
      if (!(await exists(join(this.place.gitDirectory, 'index.lock')))) break;
      await pause(wait);
    }
    return act();
  }

  #call(args: readonly string[], options: GitOptions): GitCall {
    const { root } = this.place;
    return {
      maxMemory: WRITE_MEMORY,
      ...options,
      directory: root,
      args,
      environment: {
        GIT_WORK_TREE: root,
        GIT_CEILING_DIRECTORIES: dirname(root),
        ...options.environment,
      },
    };
  }
}

/** A name of a branch that git takes and that no command can read as an option. */
export async function checkBranchName(repository: Repository, name: string): Promise<void> {
  const isName = !name.startsWith('-') && !name.includes('@{') && name !== '@';
  const { code } = isName
    ? await repository.read(['check-ref-format', `refs/heads/${name}`], { answers: [1] })
    : { code: 1 };
  if (code !== 0) throw new CodedError('INVALID_MESSAGE', 'This cannot be the name of a branch.');
}

/** The commit behind a branch, a tag or an id. */
export async function commitOf(repository: Repository, name: string): Promise<string | undefined> {
  const { code, stdout } = await repository.read(
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
    { answers: [1, 128] },
  );
  return code === 0 ? stdout.toString('latin1').trim() : undefined;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
