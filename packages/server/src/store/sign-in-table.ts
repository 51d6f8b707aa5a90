/** Browsers that signed in, by the hash of their cookie's secret (X1). */
import type { Database } from './database.ts';

export interface SignIn {
  readonly id: string;
  readonly expiresAt: number;
}

export interface SignInTable {
  find(secretHash: string): SignIn | undefined;
  insert(signIn: SignIn & { readonly secretHash: string; readonly createdAt: number }): void;
  remove(id: string): void;
  removeExpired(now: number): void;
  /** Those that hold, newest first. */
  list(now: number): (SignIn & { readonly createdAt: number })[];
}

export function signInTable(database: Database): SignInTable {
  const find = database.prepare('SELECT id, expires_at FROM sign_ins WHERE secret_hash = ?');
  const insert = database.prepare(
    'INSERT INTO sign_ins (id, secret_hash, created_at, expires_at) VALUES (?, ?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM sign_ins WHERE id = ?');
  const removeExpired = database.prepare('DELETE FROM sign_ins WHERE expires_at <= ?');
  const list = database.prepare(
    'SELECT id, created_at, expires_at FROM sign_ins WHERE expires_at > ? ORDER BY created_at DESC LIMIT 500',
  );
  return {
    find: (secretHash) => {
      const row = find.get(secretHash) as { id: string; expires_at: number } | undefined;
      return row && { id: row.id, expiresAt: row.expires_at };
    },
    insert: ({ id, secretHash, createdAt, expiresAt }) =>
      void insert.run(id, secretHash, createdAt, expiresAt),
    remove: (id) => void remove.run(id),
    removeExpired: (now) => void removeExpired.run(now),
    list: (now) =>
      (list.all(now) as { id: string; created_at: number; expires_at: number }[]).map((row) => ({
        id: row.id,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
      })),
  };
}
