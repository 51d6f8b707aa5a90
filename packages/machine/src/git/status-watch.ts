/**
 * Keeps one project's git status up to date (W3). Reads at once on a first change, then only so often that reading
 * takes a quarter of the time. Polls only where the system has no watches left. Shared by everyone who shows the
 * project.
 */
import { basename, join } from 'node:path';
import type { Log } from '@tugdeck/local/log';
import type { GitStatus } from '@tugdeck/protocol/git/git-messages';
import { reportOf } from '@tugdeck/protocol/wire/errors';
import { findRepository } from '@tugdeck/trees/find-repository';
import { watchName, watchTree } from '../watching/tree-watch.ts';
import { watchWorktree } from '../watching/worktree-watch.ts';
import { Repository } from './repository.ts';
import { readStatus } from './status.ts';

export interface StatusWatchOptions {
  readonly directory: string;
  readonly isTrusted: () => boolean;
  readonly log: Log;
  /** Called before the listeners; does not count as one. */
  readonly changed?: () => void;
  /** Polling interval where the system cannot watch. */
  readonly pollMs?: number;
}

type Listener = (status: GitStatus) => void;

interface Watch {
  readonly started: Promise<unknown>;
  close(): unknown;
}

/** Reading may take one part in this many of the time. */
const READ_SHARE = 4;
const MIN_PAUSE_MS = 60;
const MAX_PAUSE_MS = 5_000;
const POLL_MS = 3_000;
/** Paths in `.git` whose changes do not affect the status. */
const GIT_NOISE = [
  'objects',
  'logs',
  'hooks',
  'lfs',
  'modules',
  'worktrees',
  'info/lfs',
  'fsmonitor--daemon',
];

export class StatusWatch {
  readonly #options: StatusWatchOptions;
  readonly #listeners = new Set<Listener>();
  #repository: Repository | undefined;
  #watches: Pick<Watch, 'close'>[] = [];
  #status: GitStatus | undefined;
  #published = '';
  #reading: Promise<GitStatus> | undefined;
  #isStale = false;
  #timer: NodeJS.Timeout | undefined;
  #notBefore = 0;
  #opened: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: StatusWatchOptions) {
    this.#options = options;
  }

  /** The latest status, or the first one once it is read. */
  async status(): Promise<GitStatus> {
    return this.#status ?? this.refresh();
  }

  get known(): GitStatus | undefined {
    return this.#status;
  }

  /** Undefined if the project is not a repository. */
  async repository(): Promise<Repository | undefined> {
    await this.#open();
    return this.#repository;
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Reads a status that is not older than this call: a read in progress may be outdated. */
  async refresh(): Promise<GitStatus> {
    if (this.#reading) {
      this.#isStale = false;
      await this.#reading.catch(() => undefined);
    }
    return this.#read();
  }

  /** Finds the repository again after it was created or removed. */
  async reopen(): Promise<GitStatus> {
    this.#closeWatches();
    this.#repository = undefined;
    this.#opened = undefined;
    return this.refresh();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#closeWatches();
    this.#listeners.clear();
  }

  #open(): Promise<void> {
    this.#opened ??= this.#find();
    return this.#opened;
  }

  async #find(): Promise<void> {
    const { directory, isTrusted, log } = this.#options;
    const found = await findRepository(directory);
    if (this.#isClosed) return;
    if (found.kind !== 'repository') {
      this.#status = { kind: found.kind };
      this.#watch([watchName(directory, '.git', () => void this.#findNew())]);
      return;
    }
    const { root, gitDirectory, commonDirectory } = found.place;
    this.#repository = new Repository(found.place, isTrusted);
    const gitsOwn = [...new Set([gitDirectory, commonDirectory])].map((own) =>
      watchTree({
        directory: own,
        ignore: GIT_NOISE.map((name) => join(own, name)).filter((path) => path !== gitDirectory),
        log,
        // Other git processes create and remove locks all the time.
        changed: (paths) => paths.some((path) => !basename(path).endsWith('.lock')) && this.#changed(),
      }),
    );
    this.#watch([
      watchWorktree({ directory: root, log, onEvents: () => this.#changed() }),
      ...gitsOwn,
      watchName(root, '.git', () => void this.#findAgain()),
    ]);
  }

  /** Falls back to polling while someone listens if a watch could not start. */
  #watch(watches: readonly Watch[]): void {
    const timers: NodeJS.Timeout[] = [];
    let isOver = false;
    const end = () => {
      isOver = true;
      for (const timer of timers) clearInterval(timer);
    };
    this.#watches.push(...watches, { close: end });
    void Promise.all(watches.map(({ started }) => started)).then((all) => {
      if (isOver) return;
      // Changes between the first read and the start of the watch were missed.
      this.#changed();
      if (all.every(Boolean)) return;
      timers.push(setInterval(() => this.#poll(), this.#options.pollMs ?? POLL_MS).unref());
    });
  }

  #poll(): void {
    if (!this.hasListeners) return;
    void this.#findAgain();
    this.#changed();
  }

  /** `.git` appeared. git writes its contents later, the head among the last, which makes it a repository. */
  async #findNew(): Promise<void> {
    await this.#findAgain();
    if (this.#isClosed || this.#repository) return;
    const folder = join(this.#options.directory, '.git');
    this.#watches.push(watchName(folder, 'HEAD', () => void this.#findAgain()));
    // It may have been written before the watch started.
    await this.#findAgain();
  }

  async #findAgain(): Promise<void> {
    const isThere = await findRepository(this.#options.directory).then(
      ({ kind }) => kind === 'repository',
      // The directory is gone; reading the status reports that.
      () => false,
    );
    if (!this.#isClosed && isThere !== (this.#repository !== undefined)) await this.reopen();
  }

  #changed(): void {
    if (this.#isClosed) return;
    if (this.#reading) {
      this.#isStale = true;
      return;
    }
    if (this.#timer) return;
    const wait = this.#notBefore - performance.now();
    if (wait <= 0) void this.#read().catch((error) => this.#options.log.warn('status', { error }));
    else {
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        void this.#read().catch((error) => this.#options.log.warn('status', { error }));
      }, wait);
    }
  }

  #read(): Promise<GitStatus> {
    if (this.#reading) return this.#reading;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const since = performance.now();
    const reading = this.#readNow().then((status) => {
      const took = performance.now() - since;
      this.#notBefore =
        performance.now() + Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, took * (READ_SHARE - 1)));
      this.#publish(status);
      return status;
    });
    const done = () => {
      this.#reading = undefined;
      if (this.#isStale) {
        this.#isStale = false;
        this.#changed();
      }
    };
    this.#reading = reading;
    reading.then(done, done);
    return reading;
  }

  async #readNow(): Promise<GitStatus> {
    try {
      await this.#open();
      const repository = this.#repository;
      if (!repository) return this.#status ?? { kind: 'none' };
      return await readStatus(repository);
    } catch (error) {
      const { code, message, hint } = reportOf(error);
      if (code === 'INTERNAL_ERROR') this.#options.log.warn('status', { error });
      return { kind: 'fault', code, message, hint };
    }
  }

  #publish(status: GitStatus): void {
    if (this.#isClosed) return;
    const text = JSON.stringify(status);
    this.#status = status;
    if (text === this.#published) return;
    this.#published = text;
    this.#options.changed?.();
    for (const listener of this.#listeners) listener(status);
  }

  #closeWatches(): void {
    for (const one of this.#watches.splice(0)) one.close();
  }
}
