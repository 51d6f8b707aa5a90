/** Unsent drafts, per session. */
import type { Database } from './database.ts';

export interface DraftTable {
  all(): Record<string, string>;
  /** An empty text deletes the draft. */
  save(session: string, text: string, at: number): void;
}

export function draftTable(database: Database): DraftTable {
  const all = database.prepare('SELECT session, text FROM drafts');
  const save = database.prepare(
    `INSERT INTO drafts (session, text, saved_at) VALUES (?, ?, ?)
     ON CONFLICT (session) DO UPDATE SET text = excluded.text, saved_at = excluded.saved_at`,
  );
  const drop = database.prepare('DELETE FROM drafts WHERE session = ?');
  return {
    all: () =>
      Object.fromEntries(
        (all.all() as { session: string; text: string }[]).map(({ session, text }) => [session, text]),
      ),
    save: (session, text, at) => void (text === '' ? drop.run(session) : save.run(session, text, at)),
  };
}
