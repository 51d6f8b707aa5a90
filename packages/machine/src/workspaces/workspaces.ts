/**
 * The workspaces of all projects (B1): creates, archives and restores them, one operation per workspace at a time, and
 * continues operations that an earlier server began. Git is the truth about branches and changes; rows are notes.
 */
import { randomUUID } from 'node:crypto';
import { basename, relative, sep } from 'node:path';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import { slugOf } from '@tugdeck/protocol/workspaces/names';
import type {
  FoundWorktree,
  WorkspaceContents,
  WorkspacePlan,
  WorkspaceRow,
  WorkspaceSize,
  WorkspaceSpec,
  WorkspaceStatus,
} from '@tugdeck/protocol/workspaces/workspace';
import type { ProjectTable } from '@tugdeck/store/project-table';
import type { StoredWorkspace, WorkspaceOperation } from '@tugdeck/store/workspace-table';
import type { Repository } from '../git/repository.ts';
import { worktreeProjects } from './adopt-projects.ts';
import { checkRestorable, ownEntry } from './archive.ts';
import type { Base } from './base.ts';
import { adoptFound, foundWorktrees } from './found.ts';
import { freeIgnored, removeFreed, sizeOf } from './free-ignored.ts';
import { lockReason, unlistMissing } from './git-entry.ts';
import { Handoff } from './handoff.ts';
import { inspect, openWorktree } from './inspect.ts';
import { Landing } from './landing/landing.ts';
import { inOrder, save } from './operation.ts';
import { Operations, type WorkspacesOptions } from './operations.ts';
import { freePath, worktreeHome } from './place-on-disk.ts';
import { branchName, planWorkspace } from './plan.ts';
import { freeSlot } from './ports.ts';
import { Runs } from './runs.ts';
import { SharedStarts } from './shared-starts.ts';
import { readWorkspaceStatus, recreateBranch } from './status.ts';
import { assertUsable, busy, toRow } from './workspace-row.ts';

const DEFAULT_KEEP_DAYS = 30;
const DAY_MS = 24 * 3600 * 1000;

export class Workspaces {
  readonly #options: WorkspacesOptions;
  readonly #operations: Operations;
  readonly landing: Landing;
  readonly handoff: Handoff;
  readonly runs: Runs;
  readonly shared: SharedStarts;
  readonly #listeners = new Set<(workspace: string) => void>();
  readonly create = inOrder(this.#create.bind(this));

  constructor(options: WorkspacesOptions) {
    this.#options = options;
    this.#operations = new Operations({ ...options, changed: (workspace) => this.notify(workspace) });
    this.#operations.landed = (id) => void this.#archiveLanded(id);
    this.handoff = new Handoff({
      options,
      operations: this.#operations,
      idle: (id) => this.#idle(id),
      find: (project, name) => this.find(project, name),
      create: async (project, title, base) => this.ready((await this.create(project, { title, base })).id),
    });
    this.shared = new SharedStarts(options, this.#operations, (id) => this.#idle(id));
    this.landing = new Landing(options, this.#operations, (id) => this.#idle(id));
    this.runs = new Runs({ ...options, changed: (id) => this.notify(id) }, this.#operations, (id) =>
      this.#idle(id),
    );
  }

  /** Programs in workspaces, once the services that run them exist. */
  useWith(use: Operations['use']): void {
    this.#operations.use = use;
  }

  /** Calls `listener` when the list or a row changed. */
  subscribe(listener: (workspace: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** All, or those of one project. */
  list(project?: string): WorkspaceRow[] {
    return this.#options.table
      .list()
      .filter((row) => project === undefined || row.project === project)
      .map((row) => this.row(row));
  }

  /** As pages see it. */
  row(row: StoredWorkspace): WorkspaceRow {
    const isSettingUp = row.op === undefined && this.#operations.setups.isRunning(row.id);
    return isSettingUp ? { ...toRow(row), step: 'setup' } : toRow(row);
  }

  get(id: string): StoredWorkspace {
    const row = this.#options.table.get(id);
    if (!row) throw new CodedError('WORKSPACE_NOT_FOUND');
    return row;
  }

  /** Their folders, to find the workspace of an external session. Also archived ones: their path comes back. */
  folders(): { path: string; project: string; workspace: string }[] {
    return this.#options.table.list().map(({ id, path, project }) => ({ path, project, workspace: id }));
  }

  /** By id or by name within a project. */
  find(project: string, name: string): StoredWorkspace {
    const rows = this.#options.table.list().filter((row) => row.project === project);
    const found = rows.find((row) => row.id === name) ?? rows.find((row) => row.name === name);
    if (!found) throw new CodedError('WORKSPACE_NOT_FOUND', `Workspace ${name.slice(0, 100)} not found.`);
    return found;
  }

  /** Starts to create a workspace; `ready` waits for it. Idempotent for the same id. `at`: its base is resolved already. */
  async #create(
    project: string,
    spec: WorkspaceSpec,
    id: string = randomUUID(),
    at?: Base,
  ): Promise<StoredWorkspace> {
    const { table, data, projects, settings, now } = this.#options;
    const known = table.get(id);
    if (known) return known;
    const { path: projectPath } = projects.get(project);
    const repository = await this.#operations.repository(project);
    await this.#operations.startPoint(project, spec);
    const { root, commonDirectory } = repository.place;
    const folder = await worktreeHome(data.worktrees, repository.place);
    const slot = await freeSlot(() => this.#operations.takenSlots());
    const others = table.list();
    const slug = slugOf(spec.name ?? spec.title ?? '');
    const path = freePath(folder, slug, others);
    const parts = { slug: basename(path), id: id.slice(0, 8), now: now() };
    const row: StoredWorkspace = {
      id,
      project,
      name: basename(path),
      state: 'creating',
      path,
      folder: relative(root, repository.place.project).split(sep).join('/'),
      repository: commonDirectory,
      branch: spec.branch ?? branchName(settings(projectPath), parts),
      madeBranch: false,
      baseRef: undefined,
      baseCommit: undefined,
      slot: this.#operations.takenSlots().has(slot) ? undefined : slot,
      op: { kind: 'create', step: 'base', data: { ...spec, ...(at ? { at } : {}) } },
      fault: undefined,
      notes: [],
      createdAt: now(),
      landing: undefined,
      pull: at?.pull,
      archivedAt: undefined,
    };
    table.save(row);
    this.#operations.start(row);
    return row;
  }

  /** Describes a new workspace of the project. */
  plan(project: string, base?: string): Promise<WorkspacePlan> {
    const { projects, settings, now } = this.#options;
    const { path, trust } = projects.get(project);
    const repository = () => this.#operations.repository(project);
    return planWorkspace(
      {
        repository,
        settings: settings(path),
        isTrusted: trust === 'yes',
        now: now(),
        count: this.list(project).filter(({ state }) => state === 'ready').length,
      },
      base,
    );
  }

  /** Resolves once the workspace can be used; throws why it can't. */
  async ready(id: string): Promise<StoredWorkspace> {
    await this.#operations.idle(id);
    const row = this.get(id);
    assertUsable(row);
    return row;
  }

  /** Worktrees of the project's repository that others created (B89). */
  async found(project: string): Promise<FoundWorktree[]> {
    return foundWorktrees(await this.#operations.repository(project), this.#options.table.list());
  }

  /** Makes a worktree that others created a workspace, where it is. Nothing in it changes. */
  async adopt(project: string, path: string): Promise<StoredWorkspace> {
    const { table, machine, now } = this.#options;
    const repository = await this.#operations.repository(project);
    const row = await adoptFound(repository, table.list(), { id: randomUUID(), project, path, now: now() });
    table.save(row);
    const reason = lockReason(machine, row);
    await repository.write(['worktree', 'lock', '--reason', reason, '--', path]).catch((error: unknown) => {
      table.remove(row.id);
      throw error;
    });
    this.notify(row.id);
    return row;
  }

  /** The workspace compared with its base; a branch that was switched by hand is noted (B36). */
  async status(id: string): Promise<WorkspaceStatus> {
    const row = this.#idle(id);
    const status = await readWorkspaceStatus(await this.#worktree(row), row);
    const { branch, branchGone } = status;
    if (branch !== row.branch && branchGone !== true && !this.get(id).op) {
      save(this.#options.table, this.get(id), { branch, madeBranch: false });
      this.notify(id);
    }
    const runs = this.runs.names(row);
    return runs.length === 0 ? status : { ...status, runs };
  }

  /** Creates a deleted branch again at the last commit that the worktree had (B36). */
  async recreateBranch(id: string): Promise<void> {
    const row = this.#idle(id);
    await recreateBranch(await this.#worktree(row), row);
    this.notify(id);
  }

  /** Contents of a workspace, and how archiving would treat them. */
  async contents(id: string): Promise<WorkspaceContents> {
    const row = this.#idle(id);
    const inspection = await inspect(await this.#worktree(row), row);
    const counts = await this.#operations.use.counts(id);
    const refusal = this.#operations.use.isWorking(id) ? 'An agent is working in it.' : inspection.refusal;
    return { ...inspection, ...counts, ...(refusal === undefined ? {} : { refusal }) };
  }

  async archive(id: string): Promise<StoredWorkspace> {
    const row = this.#idle(id);
    const worktree = await this.#worktree(row);
    const inspection = await inspect(worktree, row);
    const refusal = this.#operations.use.isWorking(id) ? 'An agent is working in it.' : inspection.refusal;
    if (refusal !== undefined) {
      const text = `${refusal} Nothing was archived.`;
      throw new CodedError('WORKSPACE_BUSY', text, 'Finish or cancel it first.');
    }
    const repository = await this.#operations.repository(row.project);
    const { machine } = this.#options;
    const entry = await ownEntry({ repository, machine }, row, worktree.place.gitDirectory);
    const data = {
      entry,
      dropped: inspection.dropped.map(({ path }) => path),
      deletesBranch: inspection.deletesBranch,
    };
    const op = { kind: 'archive', step: 'teardown', data } as const;
    return this.#begin(this.#idle(id), { state: 'archiving', op });
  }

  /** Its row says why if it can't be archived. */
  async #archiveLanded(id: string): Promise<void> {
    await this.#operations.idle(id);
    await this.archive(id).catch((error: unknown) => {
      this.#options.log.warn('landed workspace not archived', { workspace: id, ...reportOf(error) });
    });
  }

  async restore(id: string): Promise<StoredWorkspace> {
    const row = this.get(id);
    if (toRow(row).state === 'missing' && !row.op) {
      const op = { kind: 'restore', step: 'link', data: { isMissing: true } } as const;
      return this.#begin(row, { state: 'restoring', op });
    }
    if (row.state !== 'archived') {
      throw new CodedError('WORKSPACE_BUSY', `This workspace is ${row.state}, not archived.`);
    }
    const repository = await this.#operations.repository(row.project);
    await checkRestorable({ repository, files: this.#operations.files(row) }, row);
    if (this.get(id).state !== 'archived') throw busy(this.get(id));
    const op = { kind: 'restore', step: 'objects', data: {} } as const;
    return this.#begin(row, { state: 'restoring', op });
  }

  /** Deletes an archive or the row of a workspace whose files are gone. Can't be undone. */
  async forget(id: string): Promise<void> {
    const row = this.get(id);
    const isGone = row.state === 'failed' || toRow(row).state === 'missing';
    if (row.state !== 'archived' && row.state !== 'emptied' && !isGone) {
      throw new CodedError('WORKSPACE_BUSY', `This workspace is ${row.state}.`, 'Archive it first.');
    }
    const repository = await this.#operations.repository(row.project).catch(() => undefined);
    if (isGone && row.state !== 'failed' && repository) await unlistMissing(repository, row);
    await this.#removeArchive(row);
  }

  /** Bytes on disk, measured now. */
  async sizes(project?: string): Promise<WorkspaceSize[]> {
    const rows = this.#options.table.list().filter((row) => project === undefined || row.project === project);
    const { archive } = this.#options.data;
    return Promise.all(rows.map((row) => sizeOf(row, archive, () => this.#worktree(row))));
  }

  /** Deletes ignored folders that programs create again (B70). Refused while an agent works in it. */
  async freeIgnored(id: string): Promise<number> {
    const row = this.#idle(id);
    if (this.#operations.use.isWorking(id) || this.#operations.setups.isRunning(id)) throw busy(row);
    return freeIgnored(await this.#worktree(row), row);
  }

  /** Worktrees that were separate projects become workspaces; their sessions and open tabs stay. */
  async adoptProjects(projects: Pick<ProjectTable, 'list'>): Promise<void> {
    const { table, data, machine, now } = this.#options;
    const adopted = await worktreeProjects(projects.list(), data.worktrees);
    for (const row of adopted) {
      if (table.get(row.id)) continue;
      table.adoptProject(row, now());
      const repository = await this.#operations.repository(row.project);
      // So that `git worktree prune` leaves it alone; without trust it may not be possible.
      await repository
        .write(['worktree', 'lock', '--reason', lockReason(machine, row), '--', row.path])
        .catch(() => undefined);
      this.notify(row.id);
    }
  }

  /** Continues what an earlier server began. Archiving ends agents and terminals, which must be known by then. */
  resume(
    kinds: readonly WorkspaceOperation['kind'][] = ['create', 'restore', 'archive', 'land', 'handoff'],
  ): void {
    if (this.#operations.isClosed) return;
    for (const row of this.#options.table.list())
      if (row.op && kinds.includes(row.op.kind)) this.#operations.start(row);
  }

  /** Deletes archives that are older than the user wants to keep (B68). */
  async empty(): Promise<void> {
    const { table } = this.#options;
    await removeFreed(table.list());
    for (const { id } of table.list()) {
      // Read again: it may have been restored while an earlier one was deleted.
      const row = table.get(id);
      if (row && this.#isOver(row)) await this.#removeArchive(row);
    }
  }

  close(): Promise<void> {
    return this.#operations.close();
  }

  /** Its row was changed by another service. */
  notify(workspace: string): void {
    for (const listener of this.#listeners) listener(workspace);
  }

  async #begin(row: StoredWorkspace, changes: Partial<StoredWorkspace>): Promise<StoredWorkspace> {
    return this.#operations.start(save(this.#options.table, row, { ...changes, fault: undefined }));
  }

  #worktree(row: StoredWorkspace): Promise<Repository> {
    return openWorktree(row, () => this.#options.projects.get(row.project).trust === 'yes');
  }

  /** A workspace without an operation that can be used. */
  #idle(id: string): StoredWorkspace {
    const row = this.get(id);
    if (row.op || this.#operations.isRunning(id)) throw busy(row);
    assertUsable(row);
    return row;
  }

  #isOver(row: StoredWorkspace): boolean {
    const { projects, settings, now } = this.#options;
    // A server was stopped while it deleted this one.
    if (row.state === 'emptied') return this.#operations.files(row).exists;
    if (row.state !== 'archived' || row.archivedAt === undefined) return false;
    const { keepDays = DEFAULT_KEEP_DAYS } = settings(pathOf(projects, row.project));
    return row.archivedAt <= now() - keepDays * DAY_MS;
  }

  /** The row says so first, so that a half-deleted archive is never restored. */
  async #removeArchive(row: StoredWorkspace): Promise<void> {
    const emptied = save(this.#options.table, row, { state: 'emptied', slot: undefined, op: undefined });
    await this.#operations.files(row).remove();
    this.#forgetRow(emptied);
  }

  /** Sessions keep their row; without any, the workspace's row is deleted. */
  #forgetRow(row: StoredWorkspace): void {
    try {
      this.#options.table.remove(row.id);
    } catch {
      // A session refers to it.
    }
    this.notify(row.id);
  }
}

function pathOf(projects: WorkspacesOptions['projects'], project: string): string {
  try {
    return projects.get(project).path;
  } catch {
    return ''; // The project was removed; its archives have the default time.
  }
}
