/**
 * Opens `tugdeck.db` and migrates its schema (S6). A file of a newer version is refused before anything is written.
 * Only the server opens it while it runs.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import Libsql from 'libsql';
import { MIGRATIONS } from './migrations.ts';

export type Database = InstanceType<typeof Libsql>;

export function openDatabase(file: string, migrations: readonly string[] = MIGRATIONS): Database {
  // Created here with private permissions; SQLite gives its side files the same mode.
  closeSync(openSync(file, 'a', 0o600));
  refuseNewer(file, versionInHeader(file), migrations.length);
  const database = new Libsql(file);
  try {
    // The newest version may only be in the write-ahead log, which only SQLite can read.
    const version = schemaVersion(database);
    refuseNewer(file, version, migrations.length);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.pragma('foreign_keys = ON');
    migrate(database, version, migrations);
    beginLog(database, migrations.length);
    return database;
  } catch (error) {
    database.close();
    if (error instanceof CodedError) throw error;
    throw new CodedError('DATA_UNREADABLE', `Can't open ${file}: ${messageOf(error)}`);
  }
}

function migrate(database: Database, from: number, migrations: readonly string[]): void {
  migrations.slice(from).forEach((step, index) => {
    database.exec(`BEGIN IMMEDIATE;\n${step}\nPRAGMA user_version = ${from + index + 1};\nCOMMIT;`);
  });
}

/**
 * The first write creates the log file and waits for the disk, which takes tens of milliseconds while the reader is
 * busy. Do that now, not while a page waits.
 */
function beginLog(database: Database, version: number): void {
  try {
    database.exec(`PRAGMA user_version = ${version}`);
  } catch {
    // Disk full: the next real write reports it.
  }
}

function schemaVersion(database: Database): number {
  const row = database.prepare('PRAGMA user_version').get() as { user_version: number };
  return row.user_version;
}

/** Bytes 60 to 63 of an SQLite file are `user_version`; an empty file has none. */
function versionInHeader(file: string): number {
  const head = Buffer.alloc(64);
  const descriptor = openSync(file, 'r');
  try {
    return readSync(descriptor, head, 0, 64, 0) < 64 ? 0 : head.readUInt32BE(60);
  } finally {
    closeSync(descriptor);
  }
}

function refuseNewer(file: string, found: number, known: number): void {
  if (found <= known) return;
  throw new CodedError(
    'DATA_NEWER',
    `${file} has schema version ${found}, but this version only supports ${known}. The file was not changed.`,
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
