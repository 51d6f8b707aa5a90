/**
 * One repository, as all of the server's git sees it: reads that run nothing of its own, and writes, one after the
 * other, that do what the user's own `git` would, without hooks. Holds no status and no watch.
 */
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type GitAnswer, type GitCall, git } from '@tugdeck/local/git';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { RepositoryPlace } from '@tugdeck/trees/find-repository';
import { RepositoryPrograms } from './repository-programs.ts';

export type GitOptions = Omit<GitCall, 'directory' | 'args'>;

/** An agent's git may hold the index for a moment. */
const LOCK_WAITS_MS = [100, 200, 400, 800];

export class Repository {
  readonly place: RepositoryPlace;
  readonly #programs: RepositoryPrograms;
  #last: Promise<unknown> = Promise.resolve();

  constructor(place: RepositoryPlace) {
    this.place = place;
    this.#programs = new RepositoryPrograms(place);
  }

  async read(args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> {
    const off = await this.#programs.off();
    return git(this.#call(args, { ...options, config: [...off, ...(options.config ?? [])] }));
  }

  async readText(args: readonly string[], options: GitOptions = {}): Promise<string> {
    return (await this.read(args, options)).stdout.toString('utf8');
  }

  write(args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> {
    return this.inTurn(() => this.#whenUnlocked(() => git(this.#call(args, options))));
  }

  /** Several steps that nothing else of ours may come between. Steps inside use `step`, not `write`. */
  inTurn<T>(act: () => Promise<T>): Promise<T> {
    const next = this.#last.then(act, act);
    this.#last = next.catch(() => undefined);
    return next;
  }

  step(args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> {
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
