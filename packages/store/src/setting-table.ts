/** Small values the server stores for itself, such as page preferences. */
import type { Database } from './database.ts';

export interface SettingTable {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
}

export function settingTable(database: Database): SettingTable {
  const one = database.prepare('SELECT value FROM settings WHERE name = ?');
  const set = database.prepare(
    'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  );
  return {
    get: (name) => (one.get(name) as { value: string } | undefined)?.value,
    set: (name, value) => void set.run(name, value),
  };
}
