/** Groups of attempts (B37). `op` is written before an operation begins, so that a new server can continue it. */
import type { Database } from './database.ts';

export interface StoredAttempt {
  readonly session: string;
  readonly workspace: string;
  readonly agent: string;
  readonly model?: string | undefined;
  readonly mode?: string | undefined;
  /** Its session has the prompt, or it failed. */
  readonly isBegun?: boolean | undefined;
  readonly fault?: string | undefined;
  /** Its files when its workspace was archived. */
  readonly tree?: string | undefined;
  /** The last result of the check command, for these files. */
  readonly check?:
    | { readonly at: number; readonly code?: number | undefined; readonly tree?: string | undefined }
    | undefined;
}

export type AttemptsOperation =
  | {
      readonly kind: 'start';
      /** As JSON; the first session has its attachments. */
      readonly prompt: unknown;
      /** How the base was resolved, for the user. */
      readonly note?: string | undefined;
      readonly byProgram: boolean;
    }
  | { readonly kind: 'choose' };

export interface StoredAttempts {
  readonly id: string;
  readonly project: string;
  readonly title: string;
  readonly baseRef: string | undefined;
  readonly baseCommit: string;
  readonly members: readonly StoredAttempt[];
  readonly chosen: string | undefined;
  readonly op: AttemptsOperation | undefined;
  readonly createdAt: number;
}

export interface AttemptTable {
  list(): StoredAttempts[];
  get(id: string): StoredAttempts | undefined;
  save(group: StoredAttempts): void;
  remove(id: string): void;
}

interface Row {
  id: string;
  project: string;
  title: string;
  base_ref: string | null;
  base_commit: string;
  members: string;
  chosen: string | null;
  op: string | null;
  created_at: number;
}

export function attemptTable(database: Database): AttemptTable {
  const all = database.prepare('SELECT * FROM attempts ORDER BY created_at, rowid');
  const one = database.prepare('SELECT * FROM attempts WHERE id = ?');
  const save = database.prepare(
    `INSERT INTO attempts (id, project, title, base_ref, base_commit, members, chosen, op, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET members = excluded.members, chosen = excluded.chosen, op = excluded.op`,
  );
  const remove = database.prepare('DELETE FROM attempts WHERE id = ?');
  return {
    list: () => (all.all() as Row[]).map(toAttempts),
    get: (id) => {
      const row = one.get(id) as Row | undefined;
      return row && toAttempts(row);
    },
    save: (group) =>
      void save.run(
        group.id,
        group.project,
        group.title,
        group.baseRef ?? null,
        group.baseCommit,
        JSON.stringify(group.members),
        group.chosen ?? null,
        group.op ? JSON.stringify(group.op) : null,
        group.createdAt,
      ),
    remove: (id) => void remove.run(id),
  };
}

function toAttempts(row: Row): StoredAttempts {
  return {
    id: row.id,
    project: row.project,
    title: row.title,
    baseRef: row.base_ref ?? undefined,
    baseCommit: row.base_commit,
    members: JSON.parse(row.members) as StoredAttempt[],
    chosen: row.chosen ?? undefined,
    op: row.op === null ? undefined : (JSON.parse(row.op) as AttemptsOperation),
    createdAt: row.created_at,
  };
}
