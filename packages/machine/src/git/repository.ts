/**
 * One repository for all git operations. Reads go through a view without executable configuration (X1). Writes run
 * one at a time like the user's own git, but without hooks; if a write would run a program, the project must be
 * trusted.
 */
import { access, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type GitAnswer, type GitCall, git } from '@tugdeck/local/git';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { RepositoryPlace } from '@tugdeck/trees/find-repository';
import { type GitView, gitView } from '@tugdeck/trees/guard/git-view';
import { checkPlainFiles } from '@tugdeck/trees/guard/plain-files';
import { checkWritable } from './write-guard.ts';

export type GitOptions = Omit<GitCall, 'directory' | 'args'>;

/** An agent's git may hold the index lock for a moment. */
const LOCK_WAITS_MS = [100, 200, 400, 800];

/** Git loads whole files into memory for filters and line-ending conversion. */
const WRITE_MEMORY = 4 * 1024 * 1024 * 1024;

/** Writes in progress: one at a time per repository, over all its worktrees (B78). */
const queues = new Map<string, Promise<void>>();

export class Repository {
  readonly place: RepositoryPlace;
  readonly #isTrusted: () => boolean;
  #view: GitView | undefined;

  constructor(place: RepositoryPlace, isTrusted: () => boolean) {
    this.place = place;
    this.#isTrusted = isTrusted;
  }

  get isTrusted(): boolean {
    return this.#isTrusted();
  }

  async read(args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> {
    const view = await gitView(this.place);
    this.#view = view;
    const environment = { ...view.environment, ...options.environment };
    return git({ ...options, directory: this.place.root, args, environment });
  }

  /** Git reports the main worktree as the view's directory; this maps it back. */
  worktreePath(path: string): string {
    if (path !== this.#view?.directory) return path;
    const { commonDirectory } = this.place;
    return basename(commonDirectory) === '.git' ? dirname(commonDirectory) : commonDirectory;
  }

  async readText(args: readonly string[], options: GitOptions = {}): Promise<string> {
    return (await this.read(args, options)).stdout.toString('utf8');
  }

  write(args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> {
    return this.exclusive(() => this.step(args, options));
  }

  /** Runs several steps without other writes in between. Use `step` inside, not `write`. */
  exclusive<T>(act: () => Promise<T>): Promise<T> {
    const { commonDirectory } = this.place;
    const next = (queues.get(commonDirectory) ?? Promise.resolve()).then(act);
    const settled = next.then(
      () => undefined,
      () => undefined,
    );
    queues.set(commonDirectory, settled);
    void settled.then(() => {
      if (queues.get(commonDirectory) === settled) queues.delete(commonDirectory);
    });
    return next;
  }

  async step(args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> {
    await checkPlainFiles(this.place);
    if (!this.#isTrusted()) await checkWritable(this.place, options.withHooks === true);
    return this.#whenUnlocked(() => git(this.#call(args, options)));
  }

  async #whenUnlocked(act: () => Promise<GitAnswer>): Promise<GitAnswer> {
    const lock = join(this.place.gitDirectory, 'index.lock');
    for (const wait of LOCK_WAITS_MS) {
      if (!(await exists(lock))) break;
      await pause(wait);
    }
    try {
      return await act();
    } catch (error) {
      throw (
        (error instanceof CodedError && /index\.lock': File exists/.test(error.message)
          ? await lockedError(lock)
          : undefined) ?? error
      );
    }
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

/** Names a lock that stays (B79). It is never deleted: another git may be running. */
async function lockedError(lock: string): Promise<CodedError | undefined> {
  const facts = await stat(lock).catch(() => undefined);
  if (!facts) return undefined;
  const minutes = Math.floor((Date.now() - facts.mtimeMs) / 60_000);
  return new CodedError(
    'GIT_FAILED',
    `Another git command uses this repository: ${lock} has existed for ${minutes} min.`,
    'Wait until it ends. If no git runs any longer, delete this file.',
  );
}

/** Accepts valid branch names that no command can read as an option. */
export async function checkBranchName(repository: Repository, name: string): Promise<void> {
  const isName = !name.startsWith('-') && !name.includes('@{') && name !== '@';
  const { code } = isName
    ? await repository.read(['check-ref-format', `refs/heads/${name}`], { answers: [1] })
    : { code: 1 };
  if (code !== 0) throw new CodedError('INVALID_MESSAGE', 'Invalid branch name.');
}

/** Resolves a branch, tag or id to a commit. */
export async function commitOf(repository: Repository, name: string): Promise<string | undefined> {
  const { code, stdout } = await repository.read(
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
    { answers: [1, 128] },
  );
  return code === 0 ? stdout.toString('latin1').trim() : undefined;
}

export async function isAncestor(repository: Repository, older: string, newer: string): Promise<boolean> {
  const { code } = await repository.read(['merge-base', '--is-ancestor', older, newer], { answers: [1] });
  return code === 0;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
