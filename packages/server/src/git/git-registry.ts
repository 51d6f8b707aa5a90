/**
 * Which projects' repositories are looked at: one status watch each, shared, ended when nobody has looked for a while.
 * Other areas take their file marks from here.
 */
import type { Log } from '@tugdeck/local/log';
import type { GitStatus } from '@tugdeck/protocol/git/git-messages';
import { type FileMarks, fileMarks } from './file-marks.ts';
import { StatusWatch } from './status-watch.ts';

export interface GitRegistryOptions {
  /** Throws a coded error for a project that is not there. */
  readonly directoryOf: (project: string) => string;
  readonly environmentOf: (project: string) => Readonly<Record<string, string>>;
  /** Without it nothing is done in a repository that would run a program of it (X6). */
  readonly isTrusted: (project: string) => boolean;
  /** Where work trees of ours are made. */
  readonly worktreeHome: string;
  readonly log: Log;
}

interface SharedWatch {
  readonly watch: StatusWatch;
  users: number;
}

export class GitRegistry {
  readonly options: GitRegistryOptions;
  readonly #held = new Map<string, SharedWatch>();

  constructor(options: GitRegistryOptions) {
    this.options = options;
  }

  /** Held until released. */
  hold(project: string): { watch: StatusWatch; release: () => void } {
    const { directoryOf, isTrusted, log } = this.options;
    const directory = directoryOf(project);
    const held = this.#held.get(directory) ?? {
      watch: new StatusWatch({ directory, isTrusted: () => isTrusted(project), log }),
      users: 0,
    };
    this.#held.set(directory, held);
    held.users += 1;
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      held.users -= 1;
      if (held.users > 0) return;
      held.watch.close();
      this.#held.delete(directory);
    };
    return { watch: held.watch, release };
  }

  /** The marks of a project's files, at once and after each change; ended by the returned call. */
  watchMarks(project: string, listener: (marks: FileMarks) => void): () => void {
    const { watch, release } = this.hold(project);
    const publish = (status: GitStatus) => listener(fileMarks(status));
    const unsubscribe = watch.subscribe(publish);
    void watch.status().then(publish);
    return () => {
      unsubscribe();
      release();
    };
  }

  close(): void {
    for (const { watch } of this.#held.values()) watch.close();
    this.#held.clear();
  }
}
