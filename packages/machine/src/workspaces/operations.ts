/** Performs operations on workspaces, one at a time each, and reverts those that fail before anything is lost. */
import { join } from 'node:path';
import type { Log } from '@tugdeck/local/log';
import type { Project } from '@tugdeck/protocol/wire/deck';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import type { StoredWorkspace, WorkspaceTable } from '@tugdeck/store/workspace-table';
import { findRepository } from '@tugdeck/trees/find-repository';
import { Repository } from '../git/repository.ts';
import { archiveSteps, restoreSteps, undoArchive } from './archive.ts';
import { ArchiveFiles } from './archive-files.ts';
import { type CreatePorts, createSteps, undoCreate } from './create.ts';
import { runSteps, save } from './operation.ts';
import { freeSlot } from './ports.ts';
import type { WorkspaceSettings } from './settings.ts';

export interface WorkspacesOptions {
  readonly table: WorkspaceTable;
  readonly projects: {
    get(id: string): Project;
    environment(id: string): Readonly<Record<string, string>>;
  };
  /** Where worktrees and archives are. */
  readonly data: { readonly worktrees: string; readonly archive: string };
  /** The id of this machine, for git's lock. */
  readonly machine: string;
  readonly settings: (projectPath: string) => WorkspaceSettings;
  readonly now: () => number;
  readonly log: Pick<Log, 'debug' | 'warn' | 'error'>;
  /** A step of an operation has begun. */
  readonly reached?: ((row: StoredWorkspace) => void) | undefined;
}

/** The programs in workspaces. */
export interface WorkspaceUse {
  /** Whether a turn runs in it. */
  isWorking(workspace: string): boolean;
  counts(workspace: string): Promise<{ terminals: number; agents: number }>;
  /** Ends its terminals and idle agents. */
  end(workspace: string): Promise<void>;
  /** Runs a command in a visible terminal; undefined if it did not run to its end. */
  setup(row: StoredWorkspace, command: string): Promise<number | undefined>;
}

const UNUSED: WorkspaceUse = {
  isWorking: () => false,
  counts: async () => ({ terminals: 0, agents: 0 }),
  end: async () => undefined,
  setup: async () => undefined,
};
/** An id becomes the name of a folder. */
const SAFE_ID = /^[0-9a-zA-Z][0-9a-zA-Z-]{0,63}$/;

export class Operations {
  readonly #options: WorkspacesOptions & { readonly changed: (workspace: string) => void };
  readonly #running = new Map<string, Promise<StoredWorkspace>>();
  readonly #closing = new AbortController();
  use: WorkspaceUse = UNUSED;

  constructor(options: WorkspacesOptions & { readonly changed: (workspace: string) => void }) {
    this.#options = options;
  }

  isRunning(id: string): boolean {
    return this.#running.has(id);
  }

  /** Resolves when the workspace has no operation, whether it failed or not. */
  async idle(id: string): Promise<void> {
    await this.#running.get(id)?.catch(() => undefined);
  }

  /** Waits for the current step of every operation; the next server continues. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running.values());
  }

  /** The repository of the project's own checkout. */
  async repository(project: string): Promise<Repository> {
    const { projects } = this.#options;
    const found = await findRepository(projects.get(project).path);
    if (found.kind !== 'repository') {
      throw new CodedError(
        'GIT_NO_REPOSITORY',
        found.kind === 'bare' ? 'A bare repository has no checkout.' : undefined,
        'Workspaces need a git repository with at least one commit.',
      );
    }
    return new Repository(found.place, () => projects.get(project).trust === 'yes');
  }

  files({ id, repository }: StoredWorkspace): ArchiveFiles {
    if (!SAFE_ID.test(id)) throw new CodedError('WORKSPACE_NOT_FOUND');
    return new ArchiveFiles(join(this.#options.data.archive, id), repository);
  }

  takenSlots(): Set<number> {
    return new Set(this.#options.table.list().flatMap(({ slot }) => (slot === undefined ? [] : [slot])));
  }

  /** Runs the row's operation from the step that it names. */
  start(row: StoredWorkspace): Promise<StoredWorkspace> {
    const { log } = this.#options;
    const running = this.#perform(row)
      .catch((error: unknown) => {
        if (!this.isClosed) log.warn('workspace operation failed', { workspace: row.id, ...reportOf(error) });
        throw error;
      })
      .finally(() => {
        this.#running.delete(row.id);
        this.#options.changed(row.id);
      });
    this.#running.set(row.id, running);
    running.catch(() => undefined);
    this.#options.changed(row.id);
    return running;
  }

  async #perform(row: StoredWorkspace): Promise<StoredWorkspace> {
    switch (row.op?.kind) {
      case 'create':
        return this.#performCreate(row);
      case 'archive':
        return this.#performArchive(row);
      case 'restore':
        return this.#performRestore(row);
      case undefined:
        return row;
    }
  }

  async #performCreate(row: StoredWorkspace): Promise<StoredWorkspace> {
    const ports = await this.#createPorts(row).catch((error: unknown) => this.#fail(row, error));
    try {
      return await runSteps(this.#ports(), row, createSteps(ports), () => ({ state: 'ready' }));
    } catch (error) {
      if (this.isClosed) throw error;
      await undoCreate(ports, this.#row(row.id));
      return this.#fail(this.#row(row.id), error);
    }
  }

  #fail(row: StoredWorkspace, error: unknown): never {
    const fault = reportOf(error).message.slice(0, 1000);
    save(this.#options.table, row, { state: 'failed', op: undefined, fault, slot: undefined });
    throw error;
  }

  async #performArchive(row: StoredWorkspace): Promise<StoredWorkspace> {
    const { table, now, machine } = this.#options;
    const files = this.files(row);
    const repository = await this.repository(row.project);
    const ports = { repository, machine, files, quiesce: () => this.#endUse(row) };
    try {
      return await runSteps(this.#ports(), row, archiveSteps(ports), () => ({
        state: 'archived',
        slot: undefined,
        archivedAt: now(),
      }));
    } catch (error) {
      const { op } = this.#row(row.id);
      const isKept = !['end', 'move', 'keep'].includes(op?.step ?? '');
      // Once everything is kept, the next start of the server finishes it.
      if (this.isClosed || isKept) throw error;
      // If its place is taken, the files stay in the archive, and the next server tries again.
      if (await undoArchive(ports, row)) save(table, this.#row(row.id), { state: 'ready', op: undefined });
      throw error;
    }
  }

  async #performRestore(row: StoredWorkspace): Promise<StoredWorkspace> {
    const { table } = this.#options;
    const files = this.files(row);
    const repository = await this.repository(row.project);
    const slot = row.slot ?? (await freeSlot(() => this.takenSlots()));
    try {
      return await runSteps(this.#ports(), row, restoreSteps({ repository, files }), () => ({
        state: 'ready',
        archivedAt: undefined,
        slot: this.takenSlots().has(slot) && row.slot !== slot ? undefined : slot,
      }));
    } catch (error) {
      const { op } = this.#row(row.id);
      // Until git lists it again, the archive is complete.
      const isUntouched = op?.step !== 'move' && op?.step !== 'clean';
      if (!this.isClosed && isUntouched) save(table, this.#row(row.id), { state: 'archived', op: undefined });
      throw error;
    }
  }

  /** A turn may have begun since the archive was requested. */
  async #endUse(row: StoredWorkspace): Promise<void> {
    if (this.use.isWorking(row.id)) {
      throw new CodedError('WORKSPACE_BUSY', 'An agent is working in it. Nothing was archived.');
    }
    await this.use.end(row.id);
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Rejects once the service is closed. */
  #closed(): Promise<never> {
    return new Promise((_, reject) => {
      const { signal } = this.#closing;
      const stop = () => reject(new CodedError('HOST_UNAVAILABLE'));
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
  }

  #ports() {
    const { table, reached, log, changed } = this.#options;
    return {
      table,
      reached: (row: StoredWorkspace) => {
        // A new server continues; this one no longer writes.
        if (this.isClosed) throw new CodedError('HOST_UNAVAILABLE');
        log.debug('workspace step', { workspace: row.id, kind: row.op?.kind, step: row.op?.step });
        changed(row.id);
        reached?.(row);
      },
    };
  }

  async #createPorts(row: StoredWorkspace): Promise<CreatePorts> {
    const { projects, settings, machine, table } = this.#options;
    const { path, trust } = projects.get(row.project);
    const others = () => table.list().filter(({ id }) => id !== row.id);
    return {
      repository: await this.repository(row.project),
      machine,
      settings: settings(path),
      isTrusted: trust === 'yes',
      environment: projects.environment(row.project),
      takenPaths: () => new Set(others().map((other) => other.path)),
      takenBranches: () =>
        others().flatMap((other) =>
          other.branch === undefined || other.repository !== row.repository ? [] : [other.branch],
        ),
      // A setup outlives the server, which must not wait for it.
      setup: (created, command) => Promise.race([this.use.setup(created, command), this.#closed()]),
    };
  }

  #row(id: string): StoredWorkspace {
    const row = this.#options.table.get(id);
    if (!row) throw new CodedError('WORKSPACE_NOT_FOUND');
    return row;
  }
}
