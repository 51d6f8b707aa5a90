/** Signed-in browsers (X1). Their secrets are derived from the instance key and are not stored. */
import type { Database } from './database.ts';

export interface SignIn {
  readonly id: string;
  /** The port's instance that it belongs to. */
  readonly instance: string;
  readonly expiresAt: number;
}

/** How the browser signed in: with a sign-in link or the password. */
export type SignInWay = 'link' | 'password';

export interface ListedSignIn extends Omit<SignIn, 'instance'> {
  readonly createdAt: number;
  /** The browser's user agent. */
  readonly agent: string;
  readonly address: string;
  readonly way: SignInWay;
}

export interface SignInTable {
  find(id: string): SignIn | undefined;
  insert(signIn: ListedSignIn & Pick<SignIn, 'instance'>): void;
  remove(id: string): void;
  removeAll(): void;
  /** Removes sign-ins of other instances and expired ones. */
  removeOthers(instance: string, now: number): void;
  /** Valid sign-ins, newest first. */
  list(now: number): ListedSignIn[];
}

export function signInTable(database: Database): SignInTable {
  const find = database.prepare('SELECT id, instance, expires_at FROM sign_ins WHERE id = ?');
  const insert = database.prepare(
    'INSERT INTO sign_ins (id, instance, created_at, expires_at, agent, address, way) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM sign_ins WHERE id = ?');
  const removeAll = database.prepare('DELETE FROM sign_ins');
  const removeOthers = database.prepare('DELETE FROM sign_ins WHERE instance <> ? OR expires_at <= ?');
  const list = database.prepare(
    'SELECT id, created_at, expires_at, agent, address, way FROM sign_ins WHERE expires_at > ? ORDER BY created_at DESC LIMIT 500',
  );
  return {
    find: (id) => {
      const row = find.get(id) as { id: string; instance: string; expires_at: number } | undefined;
      return row && { id: row.id, instance: row.instance, expiresAt: row.expires_at };
    },
    insert: ({ id, instance, createdAt, expiresAt, agent, address, way }) =>
      void insert.run(id, instance, createdAt, expiresAt, agent, address, way),
    remove: (id) => void remove.run(id),
    removeAll: () => void removeAll.run(),
    removeOthers: (instance, now) => void removeOthers.run(instance, now),
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
