/** One shared status watch per project, closed with its last user. Also the source of git marks for other areas. */
import type { Log } from '@tugdeck/local/log';
import type { GitStatus } from '@tugdeck/protocol/git/git-messages';
import { SharedValues } from '@tugdeck/protocol/shared-values';
import { type GitMarks, gitMarks } from './git-marks.ts';
import { StatusWatch } from './status-watch.ts';

export interface GitRegistryOptions {
  /** Throws a coded error for an unknown project. */
  readonly directoryOf: (project: string) => string;
  readonly environmentOf: (project: string) => Readonly<Record<string, string>>;
  /** Without trust, operations that would run a program from the repository are refused (X6). */
  readonly isTrusted: (project: string) => boolean;
  /** The branch of a workspace and the name of its base (B52). */
  readonly ownBranch?: (
    project: string,
  ) => { readonly branch?: string | undefined; readonly base?: string | undefined } | undefined;
  /** Where our worktrees are created. */
  readonly worktreeHome: string;
  /** Called when the status of a watched directory changed. */
  readonly changed?: (directory: string) => void;
  readonly log: Log;
}

export class GitRegistry {
  readonly options: GitRegistryOptions;
  readonly #watches = new SharedValues<string, StatusWatch>((watch) => watch.close());

  constructor(options: GitRegistryOptions) {
    this.options = options;
  }

  /** The watch stays open until released. */
  hold(project: string): { readonly value: StatusWatch; readonly release: () => void } {
    const { directoryOf, isTrusted, changed, log } = this.options;
    const directory = directoryOf(project);
    return this.#watches.hold(
      directory,
      () =>
        new StatusWatch({
          ...{ directory, log },
          isTrusted: () => isTrusted(project),
          changed: () => changed?.(directory),
        }),
    );
  }

  /** Calls the listener with the project's git marks now and after each change, until unsubscribed. */
  watchMarks(project: string, listener: (marks: GitMarks) => void): () => void {
    const { value: watch, release } = this.hold(project);
    const publish = (status: GitStatus) => listener(gitMarks(status));
    const unsubscribe = watch.subscribe(publish);
    void watch.status().then(publish);
    return () => {
      unsubscribe();
      release();
    };
  }

  close(): void {
    this.#watches.closeAll();
  }
}
