/** Projects. A removed one keeps its row and id, so that its sessions return when it is added again (S4). */
import type { Project } from '@tugdeck/protocol/wire/deck';
import type { Database } from './database.ts';

export interface ProjectTable {
  /** Projects that are not removed, in the user's order, then in the order added. */
  list(): Project[];
  get(id: string): Project | undefined;
  findByPath(path: string): (Project & { readonly removed: boolean }) | undefined;
  insert(project: Project): void;
  restore(id: string, at: number): void;
  remove(id: string, at: number): void;
  rename(id: string, name: string): void;
  /** Sets the order of all projects. */
  arrange(ids: readonly string[]): void;
}

interface Row {
  id: string;
  path: string;
  name: string;
  added_at: number;
  removed_at: number | null;
}

export function projectTable(database: Database): ProjectTable {
  const all = database.prepare(
    'SELECT * FROM projects WHERE removed_at IS NULL ORDER BY place IS NULL, place, added_at, rowid',
  );
  const one = database.prepare('SELECT * FROM projects WHERE id = ? AND removed_at IS NULL');
  const byPath = database.prepare('SELECT * FROM projects WHERE path = ?');
  const insert = database.prepare('INSERT INTO projects (id, path, name, added_at) VALUES (?, ?, ?, ?)');
  const restore = database.prepare('UPDATE projects SET removed_at = NULL, added_at = ? WHERE id = ?');
  const remove = database.prepare('UPDATE projects SET removed_at = ? WHERE id = ?');
  const rename = database.prepare('UPDATE projects SET name = ? WHERE id = ?');
  const place = database.prepare('UPDATE projects SET place = ? WHERE id = ?');
  const arrange = database.transaction((ids: readonly string[]) => {
    for (const [at, id] of ids.entries()) place.run(at, id);
  });
  return {
    list: () => (all.all() as Row[]).map(toProject),
    get: (id) => {
      const row = one.get(id) as Row | undefined;
      return row && toProject(row);
    },
    findByPath: (path) => {
      const row = byPath.get(path) as Row | undefined;
      return row && { ...toProject(row), removed: row.removed_at !== null };
    },
    insert: ({ id, path, name, addedAt }) => void insert.run(id, path, name, addedAt),
    restore: (id, at) => void restore.run(at, id),
    remove: (id, at) => void remove.run(at, id),
    rename: (id, name) => void rename.run(name, id),
    arrange: (ids) => void arrange(ids),
  };
}

function toProject({ id, path, name, added_at }: Row): Project {
  return { id, path, name, addedAt: added_at };
}
