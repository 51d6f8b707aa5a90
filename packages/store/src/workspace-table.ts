/**
 * Workspaces (B11). `op` is written before each step of an operation, so that a new server can continue it. Branch and
 * changes are notes: git is the truth.
 */
import type { Landed } from '@tugdeck/protocol/workspaces/landing';
import type { PullRef } from '@tugdeck/protocol/workspaces/pull';
import type { WorkspaceState } from '@tugdeck/protocol/workspaces/workspace';
import type { Database } from './database.ts';

export interface StoredWorkspace {
  readonly id: string;
  readonly project: string;
  readonly name: string;
  readonly state: WorkspaceState;
  /** The top of its worktree. */
  readonly path: string;
  /** The project's folder in the worktree; empty if it is the top. */
  readonly folder: string;
  /** The common directory of its repository. */
  readonly repository: string;
  readonly branch: string | undefined;
  /** Whether the branch was created for it. */
  readonly madeBranch: boolean;
  readonly baseRef: string | undefined;
  readonly baseCommit: string | undefined;
  /** Its ten ports; undefined while archived. */
  readonly slot: number | undefined;
  readonly op: WorkspaceOperation | undefined;
  readonly fault: string | undefined;
  readonly notes: readonly string[];
  /** The last landing: how it ended, or why it stopped. */
  readonly landing: StoredLanding | undefined;
  readonly pull?: PullRef | undefined;
  readonly createdAt: number;
  readonly archivedAt: number | undefined;
}

/** `tip`: the workspace's last commit before it landed. */
export interface StoredLanding {
  readonly landed?: Landed & { readonly tip?: string | undefined };
  readonly fault?: { readonly code: string; readonly message: string } | undefined;
}

/** An operation in progress: its kind, the step that has begun, and what it was started with. */
export interface WorkspaceOperation {
  readonly kind: 'create' | 'archive' | 'restore' | 'land' | 'handoff';
  readonly step: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface WorkspaceTable {
  list(): StoredWorkspace[];
  get(id: string): StoredWorkspace | undefined;
  save(workspace: StoredWorkspace): void;
  /** Throws if a session refers to it. */
  remove(id: string): void;
  /** Turns the project of a worktree into a workspace with the same id, and moves its sessions. */
  adoptProject(workspace: StoredWorkspace, at: number): void;
}

interface Row {
  id: string;
  project: string;
  name: string;
  state: string;
  path: string;
  folder: string;
  repository: string;
  branch: string | null;
  made_branch: number;
  base_ref: string | null;
  base_commit: string | null;
  slot: number | null;
  op: string | null;
  fault: string | null;
  notes: string;
  landing: string | null;
  pull: string | null;
  created_at: number;
  archived_at: number | null;
}

export function workspaceTable(database: Database): WorkspaceTable {
  const all = database.prepare('SELECT * FROM workspaces ORDER BY created_at, rowid');
  const one = database.prepare('SELECT * FROM workspaces WHERE id = ?');
  const save = database.prepare(
    `INSERT INTO workspaces (id, project, name, state, path, folder, repository, branch, made_branch, base_ref,
       base_commit, slot, op, fault, notes, created_at, archived_at, landing, pull)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, state = excluded.state, path = excluded.path,
       folder = excluded.folder, repository = excluded.repository, branch = excluded.branch,
       made_branch = excluded.made_branch, base_ref = excluded.base_ref, base_commit = excluded.base_commit,
       slot = excluded.slot, op = excluded.op, fault = excluded.fault, notes = excluded.notes,
       archived_at = excluded.archived_at, landing = excluded.landing, pull = excluded.pull`,
  );
  const remove = database.prepare('DELETE FROM workspaces WHERE id = ?');
  const moveSessions = database.prepare('UPDATE sessions SET project = ?, workspace = ? WHERE project = ?');
  const removeProject = database.prepare('UPDATE projects SET removed_at = ? WHERE id = ?');
  const store = (row: StoredWorkspace) =>
    void save.run(
      row.id,
      row.project,
      row.name,
      row.state,
      row.path,
      row.folder,
      row.repository,
      row.branch ?? null,
      row.madeBranch ? 1 : 0,
      row.baseRef ?? null,
      row.baseCommit ?? null,
      row.slot ?? null,
      row.op ? JSON.stringify(row.op) : null,
      row.fault ?? null,
      JSON.stringify(row.notes),
      row.createdAt,
      row.archivedAt ?? null,
      row.landing ? JSON.stringify(row.landing) : null,
      row.pull ? JSON.stringify(row.pull) : null,
    );
  const adopt = database.transaction((workspace: StoredWorkspace, at: number) => {
    store(workspace);
    moveSessions.run(workspace.project, workspace.id, workspace.id);
    removeProject.run(at, workspace.id);
  });
  return {
    list: () => (all.all() as Row[]).map(toWorkspace),
    get: (id) => {
      const row = one.get(id) as Row | undefined;
      return row && toWorkspace(row);
    },
    save: store,
    remove: (id) => void remove.run(id),
    adoptProject: (workspace, at) => void adopt(workspace, at),
  };
}

function toWorkspace(row: Row): StoredWorkspace {
  return {
    id: row.id,
    project: row.project,
    name: row.name,
    state: row.state as WorkspaceState,
    path: row.path,
    folder: row.folder,
    repository: row.repository,
    branch: row.branch ?? undefined,
    madeBranch: row.made_branch !== 0,
    baseRef: row.base_ref ?? undefined,
    baseCommit: row.base_commit ?? undefined,
    slot: row.slot ?? undefined,
    op: row.op === null ? undefined : (JSON.parse(row.op) as WorkspaceOperation),
    fault: row.fault ?? undefined,
    notes: JSON.parse(row.notes) as string[],
    landing: row.landing === null ? undefined : (JSON.parse(row.landing) as StoredLanding),
    pull: row.pull === null ? undefined : (JSON.parse(row.pull) as PullRef),
    createdAt: row.created_at,
    archivedAt: row.archived_at ?? undefined,
  };
}
