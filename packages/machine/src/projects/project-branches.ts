/**
 * The checked-out branches of the projects (D16), read from the repositories' files when something may have changed
 * them: no process, no watch and no polling.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Log } from '@tugdeck/local/log';
import { findRepository } from '@tugdeck/trees/find-repository';
import { readBranch } from '@tugdeck/trees/read-head';

export interface ProjectBranchesOptions {
  /** Called once after reading, if a branch changed. */
  readonly changed: () => void;
  readonly log: Log;
}

export class ProjectBranches {
  readonly #options: ProjectBranchesOptions;
  readonly #branches = new Map<string, string>();
  /** Directories to read, again if they changed during a read. */
  readonly #due = new Set<string>();
  #isReading = false;
  #isClosed = false;

  constructor(options: ProjectBranchesOptions) {
    this.#options = options;
  }

  /** As last read; undefined outside of a repository and without a branch. */
  of(directory: string): string | undefined {
    return this.#branches.get(directory);
  }

  /** Reads them soon, one after the other. */
  refresh(directories: Iterable<string>): void {
    for (const directory of directories) this.#due.add(directory);
    if (this.#isReading || this.#isClosed || this.#due.size === 0) return;
    this.#isReading = true;
    void this.#read().catch((error: unknown) => this.#options.log.warn('branches', { error }));
  }

  close(): void {
    this.#isClosed = true;
    this.#due.clear();
  }

  async #read(): Promise<void> {
    try {
      while (this.#due.size > 0) {
        const before = new Map(this.#branches);
        for (const directory of [...this.#due]) await this.#readOne(directory);
        if (this.#isClosed) return;
        if (!isDeepStrictEqual(before, this.#branches)) this.#options.changed();
      }
    } finally {
      // At once: nobody else can have asked since the last look at what is due.
      this.#isReading = false;
    }
  }

  async #readOne(directory: string): Promise<void> {
    this.#due.delete(directory);
    const branch = await branchOf(directory);
    if (branch === undefined) this.#branches.delete(directory);
    else this.#branches.set(directory, branch);
  }
}

async function branchOf(directory: string): Promise<string | undefined> {
  try {
    const found = await findRepository(directory);
    return found.kind === 'repository' ? readBranch(found.place) : undefined;
  } catch {
    return undefined; // The directory is gone, or may not be read.
  }
}
