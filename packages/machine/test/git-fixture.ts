/** Real repositories for tests: with their own home and identity, and git called like a user would. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Log } from '@tugdeck/local/log';
import type { Area, CallInput, CallName } from '@tugdeck/protocol/areas/area';
import type { git } from '@tugdeck/protocol/areas/git';
import type { GitStatus, RepositoryStatus } from '@tugdeck/protocol/git/git-messages';
import { serveGit } from '../src/git/git-area.ts';
import { GitRegistry } from '../src/git/git-registry.ts';

export const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
} as unknown as Log;

export interface GitWorld {
  readonly root: string;
  readonly home: string;
  path(...parts: string[]): string;
  dispose(): void;
}

/** For the whole test file: git reads this process's home. */
export function gitWorld(): GitWorld {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'td-git-')));
  const home = join(root, 'home');
  mkdirSync(home);
  writeFileSync(
    join(home, '.gitconfig'),
    '[user]\n\tname = Ada Example\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n',
  );
  const before = { HOME: process.env.HOME, XDG: process.env.XDG_CONFIG_HOME, TMPDIR: process.env.TMPDIR };
  process.env.HOME = home;
  process.env.TMPDIR = root;
  delete process.env.XDG_CONFIG_HOME;
  return {
    root,
    home,
    path: (...parts) => join(root, ...parts),
    dispose() {
      process.env.HOME = before.HOME;
      if (before.TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before.TMPDIR;
      if (before.XDG !== undefined) process.env.XDG_CONFIG_HOME = before.XDG;
      // A git that was just stopped may still write.
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export interface TestRepository {
  readonly directory: string;
  git(...args: string[]): string;
  write(path: string, content: string | Uint8Array): void;
  commit(message: string, files?: Readonly<Record<string, string>>): string;
}

export function repositoryAt(directory: string, isNew = true): TestRepository {
  mkdirSync(directory, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  };
  if (isNew) git('init', '-q');
  return {
    directory,
    git,
    write,
    commit(message, files = {}) {
      for (const [path, content] of Object.entries(files)) write(path, content);
      git('add', '-A');
      git('commit', '-q', '-m', message, '--allow-empty');
      return git('rev-parse', 'HEAD').trim();
    },
  };
}

/** A call as a page sends it. */
export type CallMessage<A extends Area> = {
  [K in CallName<A>]: { readonly type: K } & (string extends keyof CallInput<A, K>
    ? unknown
    : CallInput<A, K>);
}[CallName<A>];
export type GitAsk = CallMessage<typeof git>;

export interface PageOptions {
  /** The page is in a workspace with this branch and base. */
  readonly own?: { readonly branch: string; readonly base: string } | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** A page's side of the git area, without the socket. */
export class GitPage {
  readonly pushes: GitStatus[] = [];
  readonly #registry: GitRegistry;
  readonly #session: ReturnType<ReturnType<typeof serveGit>['open']>;
  #waiting: (() => void) | undefined;

  constructor(
    directory: string,
    worktreeHome = join(directory, '..', 'worktrees'),
    isTrusted = true,
    { own, environment = {} }: PageOptions = {},
  ) {
    this.#registry = new GitRegistry({
      directoryOf: () => directory,
      environmentOf: () => ({
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        ...environment,
      }),
      ownBranch: () => own,
      isTrusted: () => isTrusted,
      worktreeHome,
      log: silent,
    });
    this.#session = serveGit(this.#registry).open(
      { project: 'p' },
      {
        push: (message) => {
          this.pushes.push((message as { status: GitStatus }).status);
          this.#waiting?.();
        },
        bytes: () => undefined,
        signIn: 'here',
      },
    );
  }

  get rooms(): GitRegistry {
    return this.#registry;
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test names what it expects
  async call(request: GitAsk): Promise<any> {
    return this.#session.call(request);
  }

  async files(): Promise<Record<string, string>> {
    const { value: watch, release } = this.#registry.hold('p');
    const status = (await watch.refresh()) as RepositoryStatus;
    release();
    return Object.fromEntries(
      status.files.map(({ path, index, work, conflict }) => [path, conflict ?? `${index}${work}`]),
    );
  }

  async status(): Promise<RepositoryStatus> {
    const { value: watch, release } = this.#registry.hold('p');
    const status = await watch.refresh();
    release();
    return status as RepositoryStatus;
  }

  /** The first pushed status that matches. */
  async until(fits: (status: GitStatus) => boolean): Promise<GitStatus> {
    for (;;) {
      const found = this.pushes.find(fits);
      if (found) return found;
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }

  close(): void {
    this.#session.close();
    this.#registry.close();
  }
}
