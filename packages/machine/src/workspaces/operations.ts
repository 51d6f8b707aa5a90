/** Performs operations on workspaces, one at a time each, and reverts those that fail before anything is lost. */
import { join } from 'node:path';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Log } from '@tugdeck/local/log';
import type { Project } from '@tugdeck/protocol/wire/deck';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import type { WorkspaceSpec } from '@tugdeck/protocol/workspaces/workspace';
import type { StoredWorkspace, WorkspaceTable } from '@tugdeck/store/workspace-table';
import type { Repository } from '../git/repository.ts';
import { archiveSteps, restoreSteps, undoArchive } from './archive.ts';
import { ArchiveFiles } from './archive-files.ts';
import type { Base } from './base.ts';
import { bringChanges } from './bring-changes.ts';
import { type StartPoint, startPoint, writeCheckpoint } from './checkpoint.ts';
import { type CreatePorts, createSteps, freeBytesAt, undoCreate } from './create.ts';
import { workspaceEnvironment } from './environment.ts';
import { openCheckout, openWorktree } from './inspect.ts';
import { type LandPorts, landData, landedRow, landSteps, undoLand } from './landing/land-steps.ts';
import { runSteps, type Step, save } from './operation.ts';
import { freeSlot } from './ports.ts';
import { NO_PROGRAMS, type WorkspaceUse } from './programs.ts';
import { missingSteps } from './restore-missing.ts';
import type { WorkspaceSettings } from './settings.ts';
import { Setups } from './setups.ts';
import { tearDown } from './teardown.ts';

export interface WorkspacesOptions {
  readonly table: WorkspaceTable;
  readonly projects: {
    get(id: string): Project;
    environment(id: string): Readonly<Record<string, string>>;
  };
  /** Where worktrees and archives are. */
  readonly data: Pick<DataDirectory, 'worktrees' | 'archive' | 'trees' | 'carries'>;
  /** The id of this machine, for git's lock. */
  readonly machine: string;
  readonly settings: (projectPath: string) => WorkspaceSettings;
  readonly now: () => number;
  readonly log: Pick<Log, 'debug' | 'warn' | 'error'>;
  /** The record of a session's turns; undefined for a session of another project. */
  readonly turnsOf?: ((session: string, project: string) => string | undefined) | undefined;
  /** A step of an operation has begun. */
  readonly reached?: ((row: StoredWorkspace) => void) | undefined;
  /** For tests: the work of a step is done, but not recorded yet. */
  readonly performed?: ((row: StoredWorkspace) => void) | undefined;
  /** For tests: instead of the disk's. */
  readonly freeBytes?: ((folder: string) => Promise<number>) | undefined;
}

/** An id becomes the name of a folder. */
const SAFE_ID = /^[0-9a-zA-Z][0-9a-zA-Z-]{0,63}$/;

export class Operations {
  readonly #options: WorkspacesOptions & { readonly changed: (workspace: string) => void };
  readonly #running = new Map<string, Promise<StoredWorkspace>>();
  readonly #closing = new AbortController();
  readonly setups: Setups;
  use: WorkspaceUse = NO_PROGRAMS;
  /** The steps of a hand-off. */
  handoff: (row: StoredWorkspace) => Step[] = () => [];
  /** Called after a landing whose workspace should be archived. */
  landed: (id: string) => void = () => undefined;

  constructor(options: WorkspacesOptions & { readonly changed: (workspace: string) => void }) {
    this.#options = options;
    this.setups = new Setups({
      ...options,
      run: (...setup) => this.use.setup(...setup),
      closed: () => this.#closed(),
    });
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
    return openCheckout(projects.get(project).path, () => projects.get(project).trust === 'yes');
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
      case 'land':
        return this.#performLand(row);
      case 'handoff':
        return this.#performHandoff(row);
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
    const ports = {
      ...{ repository, machine, files },
      teardown: () => this.#tearDown(row),
      quiesce: () => this.#endUse(row),
    };
    try {
      return await runSteps(this.#ports(), row, archiveSteps(ports), () => ({
        state: 'archived',
        slot: undefined,
        archivedAt: now(),
      }));
    } catch (error) {
      const { op } = this.#row(row.id);
      const isKept = !['teardown', 'end', 'move', 'keep'].includes(op?.step ?? '');
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
    if (row.op?.data.isMissing === true) return this.#performMissing(row);
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

  async #performHandoff(row: StoredWorkspace): Promise<StoredWorkspace> {
    try {
      return await runSteps(this.#ports(), row, this.handoff(row), () => ({}));
    } catch (error) {
      // Files that were written stay, and the session stays where it was.
      if (!this.isClosed) save(this.#options.table, this.#row(row.id), { op: undefined });
      throw error;
    }
  }

  async #performLand(row: StoredWorkspace): Promise<StoredWorkspace> {
    const { table, now } = this.#options;
    const ports = await this.landPorts(row).catch((error: unknown) => this.#stopLand(row, error));
    try {
      // An agent may have begun to work since.
      if (this.use.isWorking(row.id)) throw new CodedError('WORKSPACE_BUSY', 'An agent is working in it.');
      const { archive } = landData(row);
      const done = await runSteps(this.#ports(), row, landSteps(ports, landData(row)), (last) =>
        landedRow(last, now()),
      );
      if (archive) this.landed(row.id);
      return done;
    } catch (error) {
      if (this.isClosed) throw error;
      const current = this.#row(row.id);
      await undoLand(ports, current);
      return this.#stopLand(table.get(row.id) ?? current, error);
    }
  }

  #stopLand(row: StoredWorkspace, error: unknown): never {
    const { code, message } = reportOf(error);
    const fault = { code, message: message.slice(0, 1000) };
    save(this.#options.table, row, { op: undefined, landing: { ...row.landing, fault } });
    throw error;
  }

  async landPorts(row: StoredWorkspace): Promise<LandPorts> {
    const { projects, settings, data, now } = this.#options;
    const { path } = projects.get(row.project);
    const isTrusted = () => projects.get(row.project).trust === 'yes';
    const { id = '' } = (row.op?.data ?? {}) as { id?: string };
    const own = workspaceEnvironment(row, path, settings(path).environment);
    return {
      repository: await this.repository(row.project),
      worktree: await openWorktree(row, isTrusted),
      isTrusted,
      isWorking: this.use.isWorking(row.id),
      settings: settings(path),
      project: path,
      trees: data.trees,
      now,
      environment: { ...projects.environment(row.project), ...own },
      check: (landed, command) => Promise.race([this.use.check(landed, command, id), this.#closed()]),
      carry: { id, directory: join(data.carries, row.id), owner: row.id, now },
    };
  }

  /** Restores a folder that was deleted by hand. */
  async #performMissing(row: StoredWorkspace): Promise<StoredWorkspace> {
    const { table, data, now, projects } = this.#options;
    const ports = {
      create: await this.#createPorts(row),
      worktree: (one: StoredWorkspace) => openWorktree(one, () => projects.get(one.project).trust === 'yes'),
      lastTree: (workspace: string, place: string) => this.use.lastTree(workspace, place),
      ...{ trees: data.trees, carries: data.carries, now },
    };
    try {
      return await runSteps(this.#ports(), row, missingSteps(ports), () => ({ state: 'ready' }));
    } catch (error) {
      if (!this.isClosed) save(table, this.#row(row.id), { state: 'ready', op: undefined });
      throw error;
    }
  }

  /** Returns a note about a teardown that failed. */
  async #tearDown(row: StoredWorkspace): Promise<string | undefined> {
    const { projects, settings } = this.#options;
    const { teardown } = settings(projects.get(row.project).path);
    if (teardown === undefined || this.use.isWorking(row.id)) return undefined;
    return Promise.race([tearDown(this.use.teardown(row, teardown)), this.#closed()]);
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
    const { table, reached, performed, log, changed } = this.#options;
    return {
      table,
      performed,
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
    const { projects, settings, machine, table, data, now } = this.#options;
    const { path, trust } = projects.get(row.project);
    const others = () => table.list().filter(({ id }) => id !== row.id);
    const isForeign = (row.op?.data.at as Base | undefined)?.isForeign ?? row.pull?.isForeign === true;
    return {
      repository: await this.repository(row.project),
      machine,
      settings: settings(path),
      isForeign,
      isTrusted: trust === 'yes' && !isForeign,
      environment: projects.environment(row.project),
      freeBytes: this.#options.freeBytes ?? freeBytesAt,
      takenPaths: () => new Set(others().map((other) => other.path)),
      takenBranches: () =>
        others().flatMap((other) =>
          other.branch === undefined || other.repository !== row.repository ? [] : [other.branch],
        ),
      checkpoint: () => this.startPoint(row.project, (row.op?.data ?? {}) as WorkspaceSpec),
      writeCheckpoint: ({ id, path: worktree, folder }, point) => {
        const target = { home: data.trees, project: join(worktree, folder) };
        return writeCheckpoint(target, point, { directory: join(data.carries, id), owner: id, now });
      },
      worktree: (created) => openWorktree(created, () => projects.get(created.project).trust === 'yes'),
      bring: async (created) =>
        bringChanges(await this.repository(created.project), created, { data, from: path, now }),
      setup: (created, command) => this.setups.wait(created, command),
    };
  }

  /** The checkpoint that a workspace starts from; throws if it is not recorded. */
  async startPoint(project: string, { checkpoint }: WorkspaceSpec): Promise<StartPoint | undefined> {
    if (!checkpoint) return undefined;
    return startPoint(this.#options.turnsOf?.(checkpoint.session, project), checkpoint);
  }

  #row(id: string): StoredWorkspace {
    const row = this.#options.table.get(id);
    if (!row) throw new CodedError('WORKSPACE_NOT_FOUND');
    return row;
  }
}
