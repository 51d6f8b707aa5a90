import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { MIGRATIONS } from '../src/migrations.ts';
import { openStore } from '../src/store.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tugdeck-store-'));
  file = join(folder, 'tugdeck.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('S6 the database is private, and stored rows are still there after reopening', () => {
  const store = openStore(file);
  store.projects.insert({ id: 'p', path: '/p', name: 'p', addedAt: 1 });
  store.sessions.insert({ id: 's', project: 'p', agent: 'a', createdAt: 2 });
  store.drafts.save('s', 'half a thought', 3);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
  store.close();
  const again = openStore(file);
  expect(again.projects.list()).toEqual([{ id: 'p', path: '/p', name: 'p', addedAt: 1 }]);
  expect(again.sessions.get('s')).toMatchObject({ project: 'p', agent: 'a', archived: false });
  expect(again.drafts.all()).toEqual({ s: 'half a thought' });
  again.drafts.save('s', '', 4);
  expect(again.drafts.all()).toEqual({});
  again.close();
});

test('S6 the write-ahead log is created before the first row is needed', () => {
  openStore(file).close();
  const store = openStore(file);
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
  store.close();
});

test('S6 an older file is migrated from every version, keeping its rows', () => {
  const steps = [...MIGRATIONS, 'ALTER TABLE projects ADD COLUMN color TEXT;'];
  for (let version = 1; version < steps.length; version++) {
    const old = join(folder, `${version}.db`);
    const before = openDatabase(old, steps.slice(0, version));
    before.prepare("INSERT INTO projects (id, path, name, added_at) VALUES ('p', '/p', 'p', 1)").run();
    before.close();
    const after = openDatabase(old, steps);
    expect(after.prepare('SELECT id, color FROM projects').all()).toEqual([{ id: 'p', color: null }]);
    after.close();
  }
});

test('S6 a failing migration leaves the file as it was', () => {
  openDatabase(file).close();
  const bad = [...MIGRATIONS, 'CREATE TABLE half (x); SELECT * FROM no_such_table;'];
  expect(() => openDatabase(file, bad)).toThrowError(expect.objectContaining({ code: 'DATA_UNREADABLE' }));
  const database = openDatabase(file);
  expect(database.prepare("SELECT name FROM sqlite_master WHERE name = 'half'").all()).toEqual([]);
  database.close();
});

test('S6 a newer file is refused and not changed', () => {
  const newer = new Libsql(file);
  // Opening a file in this mode creates two more beside it.
  newer.pragma('journal_mode = WAL');
  newer.exec(`CREATE TABLE later (x); PRAGMA user_version = ${MIGRATIONS.length + 1};`);
  newer.pragma('wal_checkpoint(TRUNCATE)');
  newer.close();
  for (const side of ['-wal', '-shm']) rmSync(`${file}${side}`, { force: true });
  const before = readFileSync(file);
  expect(() => openStore(file)).toThrowError(expect.objectContaining({ code: 'DATA_NEWER' }));
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readdirSync(folder)).toEqual(['tugdeck.db']);
});

test('S6 a newer version that is only in the write-ahead log is refused too', () => {
  const newer = openDatabase(file);
  newer.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1};`);
  const before = readFileSync(file);
  expect(before.readUInt32BE(60)).toBeLessThanOrEqual(MIGRATIONS.length);
  expect(() => openStore(file)).toThrowError(expect.objectContaining({ code: 'DATA_NEWER' }));
  expect(readFileSync(file).equals(before)).toBe(true);
  newer.close();
});

test('S6 a file that is not a database is reported', () => {
  writeFileSync(file, 'this is a letter to my aunt, not a database. '.repeat(10));
  const before = readFileSync(file);
  expect(() => openStore(file)).toThrowError();
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('S5 the list is read in batches, newest first, each session once, without deleted ones', () => {
  const store = openStore(file);
  for (const id of ['p', 'q']) store.projects.insert({ id, path: `/${id}`, name: id, addedAt: 1 });
  for (let at = 0; at < 20; at++) {
    const project = at % 5 === 0 ? 'q' : 'p';
    // Several at the same time.
    store.sessions.insert({ id: `s${at}`, project, agent: 'a', createdAt: Math.floor(at / 3) });
  }
  store.projects.remove('q', 5);
  const listed: string[] = [];
  let part = store.sessions.newest({ limit: 3 });
  while (part.length > 0) {
    listed.push(...part.map(({ id }) => id));
    part = store.sessions.newest({ limit: 3, after: part.at(-1) });
  }
  expect(listed).toEqual(store.sessions.list().map(({ id }) => id));
  expect(listed).toHaveLength(16);
  expect(store.sessions.newest({ limit: 99, project: 'p' }).map(({ id }) => id)).toEqual(listed);
  expect(store.sessions.newest({ limit: 99, project: 'q' })).toEqual([]);
  store.close();
});
