/**
 * `search.db` (S6): list information of session files and a full-text index. Can be deleted at any time; it is
 * rebuilt from the files. The index stores no text and no positions; a match is read from its file again. Row ids are
 * times in milliseconds, so that the newest matches come first without sorting.
 */
import { closeSync, openSync, rmSync } from 'node:fs';
import type { SearchKind } from '@tugdeck/protocol/search/search';
import Libsql from 'libsql';

export type Database = InstanceType<typeof Libsql>;

/** Incremented with every schema change; a database of another version is discarded. */
const VERSION = 3;

/** Indexed prefix lengths. Any other prefix would have to collect every match of every word before the first result. */
const PREFIXES = [1, 2, 3, 4, 5, 6];
export const LONGEST_PREFIX = 6;

const FULL_TEXT = `text, content = '', contentless_delete = 1, detail = none,
    prefix = '${PREFIXES.join(' ')}', tokenize = "unicode61 remove_diacritics 2"`;
export const INDEXES = ['messages', 'tools'] as const;

const SCHEMA = `
  CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    -- The row of the deck; agent and session as the agent names them.
    row TEXT NOT NULL,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    own INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    size INTEGER NOT NULL,
    mtime REAL NOT NULL,
    facts TEXT NOT NULL,
    -- The indexed position, and the state from which indexing continues.
    done INTEGER NOT NULL DEFAULT 0,
    memory TEXT
  ) STRICT;
  CREATE TABLE entries (
    rowid INTEGER PRIMARY KEY,
    file INTEGER NOT NULL,
    place INTEGER NOT NULL,
    size INTEGER NOT NULL,
    kind TEXT NOT NULL,
    entry TEXT NOT NULL
  ) STRICT;
  CREATE INDEX entries_by_file ON entries (file);
  ${INDEXES.map((name) => `CREATE VIRTUAL TABLE ${name} USING fts5 (${FULL_TEXT});`).join('\n  ')}
`;

/** Messages and tool output have separate indexes: there are far fewer messages, and they are searched first. */
export function indexOf(kind: SearchKind): (typeof INDEXES)[number] {
  return kind === 'tool' ? 'tools' : 'messages';
}

export function openIndex(file: string): Database {
  const known = open(file);
  if (known) return known;
  for (const name of [file, `${file}-wal`, `${file}-shm`]) rmSync(name, { force: true });
  closeSync(openSync(file, 'a', 0o600));
  const database = new Libsql(file);
  configure(database);
  database.exec(`BEGIN;${SCHEMA}PRAGMA user_version = ${VERSION};COMMIT;`);
  return database;
}

/** A damaged database or one of another version is treated as missing. */
function open(file: string): Database | undefined {
  closeSync(openSync(file, 'a', 0o600));
  let database: Database | undefined;
  try {
    database = new Libsql(file);
    const { user_version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (user_version === VERSION) {
      configure(database);
      database.prepare('SELECT count(*) FROM files').get();
      return database;
    }
  } catch (error) {
    process.stderr.write(`rebuilding search.db: ${String(error)}\n`);
  }
  database?.close();
  return undefined;
}

function configure(database: Database): void {
  database.pragma('journal_mode = WAL');
  // The database can be rebuilt after a power failure.
  database.pragma('synchronous = OFF');
  database.pragma('cache_size = -16384');
  database.pragma('temp_store = MEMORY');
}
