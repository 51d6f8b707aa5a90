/** Signed-in browsers (X1). Their secrets are derived from the instance key and are not stored. */
import type { Database } from './database.ts';

export interface SignIn {
  readonly id: string;
  /** The port's instance that it belongs to. */
  readonly instance: string;
  readonly expiresAt: number;
  /** May only read conversations and answer requests (N55). */
  readonly isLimited: boolean;
}

/** How the browser signed in: with a sign-in link or the password. */
export type SignInWay = 'link' | 'password';

export interface ListedSignIn extends Omit<SignIn, 'instance'> {
  readonly createdAt: number;
  /** The browser's user agent. */
  readonly agent: string;
  readonly address: string;
  readonly way: SignInWay;
  /** Given when the device was paired; otherwise empty. */
  readonly name: string;
  readonly usedAt: number;
}

export interface SignInTable {
  find(id: string): SignIn | undefined;
  insert(signIn: ListedSignIn & Pick<SignIn, 'instance'>): void;
  used(id: string, at: number): void;
  remove(id: string): void;
  removeAll(): void;
  /** Removes sign-ins of other instances and expired ones. */
  removeOthers(instance: string, now: number): void;
  /** Valid sign-ins, newest first. */
  list(now: number): ListedSignIn[];
}

export function signInTable(database: Database): SignInTable {
  const find = database.prepare('SELECT id, instance, expires_at, limited FROM sign_ins WHERE id = ?');
  const insert = database.prepare(
    'INSERT INTO sign_ins (id, instance, created_at, expires_at, agent, address, way, name, limited, used_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const used = database.prepare('UPDATE sign_ins SET used_at = ? WHERE id = ?');
  const remove = database.prepare('DELETE FROM sign_ins WHERE id = ?');
  const removeAll = database.prepare('DELETE FROM sign_ins');
  const removeOthers = database.prepare('DELETE FROM sign_ins WHERE instance <> ? OR expires_at <= ?');
  const list = database.prepare(
    'SELECT id, created_at, expires_at, agent, address, way, name, limited, used_at FROM sign_ins WHERE expires_at > ? ORDER BY created_at DESC LIMIT 500',
  );
  return {
    find: (id) => {
      const row = find.get(id) as
        | (Pick<Row, 'id' | 'expires_at' | 'limited'> & { instance: string })
        | undefined;
      if (!row) return undefined;
      return { id: row.id, instance: row.instance, expiresAt: row.expires_at, isLimited: row.limited !== 0 };
    },
    insert: ({ id, instance, createdAt, expiresAt, agent, address, way, name, isLimited, usedAt }) =>
      void insert.run(
        ...[id, instance, createdAt, expiresAt, agent, address, way],
        ...[name, isLimited ? 1 : 0, usedAt],
      ),
    used: (id, at) => void used.run(at, id),
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
        name: row.name,
        isLimited: row.limited !== 0,
        usedAt: row.used_at,
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
  readonly name: string;
  readonly limited: number;
  readonly used_at: number;
}
