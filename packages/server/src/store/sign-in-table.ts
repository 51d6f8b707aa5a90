/** Browsers that signed in, by the hash of their cookie's secret (X1). */
import type { Database } from './database.ts';

export interface SignIn {
  readonly id: string;
  readonly expiresAt: number;
}

/** By an address of ours, or by the user's password. */
export type SignInWay = 'link' | 'password';

export interface ListedSignIn extends SignIn {
  readonly createdAt: number;
  /** As the browser named itself. */
  readonly agent: string;
  readonly address: string;
  readonly way: SignInWay;
}

export interface SignInTable {
  find(secretHash: string): SignIn | undefined;
  insert(signIn: ListedSignIn & { readonly secretHash: string }): void;
  remove(id: string): void;
  removeAll(): void;
  removeExpired(now: number): void;
  /** Those that hold, newest first. */
  list(now: number): ListedSignIn[];
}

export function signInTable(database: Database): SignInTable {
  const find = database.prepare('SELECT id, expires_at FROM sign_ins WHERE secret_hash = ?');
  const insert = database.prepare(
    'INSERT INTO sign_ins (id, secret_hash, created_at, expires_at, agent, address, way) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM sign_ins WHERE id = ?');
  const removeAll = database.prepare('DELETE FROM sign_ins');
  const removeExpired = database.prepare('DELETE FROM sign_ins WHERE expires_at <= ?');
  const list = database.prepare(
    'SELECT id, created_at, expires_at, agent, address, way FROM sign_ins WHERE expires_at > ? ORDER BY created_at DESC LIMIT 500',
  );
  return {
    find: (secretHash) => {
      const row = find.get(secretHash) as { id: string; expires_at: number } | undefined;
      return row && { id: row.id, expiresAt: row.expires_at };
    },
    insert: ({ id, secretHash, createdAt, expiresAt, agent, address, way }) =>
      void insert.run(id, secretHash, createdAt, expiresAt, agent, address, way),
    remove: (id) => void remove.run(id),
    removeAll: () => void removeAll.run(),
    removeExpired: (now) => void removeExpired.run(now),
    list: (now) =>
      (list.all(now) as Row[]).map((row) => ({
        id: row.id,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
        agent: row.agent,
        address: row.address,
        way: row.way === 'password' ? 'password' : 'link',
      })),
  };
}

interface Row {
  readonly id: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly agent: string;
  readonly address: string;
  readonly way: string;
}
