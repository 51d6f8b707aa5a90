/** Saved layouts by name, for browsers without a stored one (D1). */
import type { Database } from './database.ts';

export interface LayoutTable {
  get(name: string): string | undefined;
  save(name: string, version: number, layout: string, at: number): void;
}

export function layoutTable(database: Database): LayoutTable {
  const get = database.prepare('SELECT layout FROM layouts WHERE name = ?');
  const save = database.prepare(
    `INSERT INTO layouts (name, version, layout, saved_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET version = excluded.version, layout = excluded.layout,
       saved_at = excluded.saved_at`,
  );
  return {
    get: (name) => (get.get(name) as { layout: string } | undefined)?.layout,
    save: (name, version, layout, at) => void save.run(name, version, layout, at),
  };
}
