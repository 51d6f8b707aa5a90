/**
 * Opens `tugdeck.db` and brings its schema forward (S6). A file of a newer program is refused before
 * anything is written, so that it stays as it is. Owned by the server process alone.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import Libsql from 'libsql';
import { MIGRATIONS } from './migrations.ts';

export type Database = InstanceType<typeof Libsql>;

export function openDatabase(file: string, migrations: readonly string[] = MIGRATIONS): Database {
  // Made here, so that it is private from its first moment; SQLite gives its side files the same mode.
  closeSync(openSync(file, 'a', 0o600));
  refuseNewer(file, versionInHeader(file), migrations.length);
  const database = new Libsql(file);
  try {
    // The newest version may still lie in the write-ahead log, which only SQLite can read.
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
    throw new CodedError('DATA_UNREADABLE', `${file} could not be opened: ${messageOf(error)}`);
  }
}

function migrate(database: Database, from: number, migrations: readonly string[]): void {
  migrations.slice(from).forEach((step, index) => {
    database.exec(`BEGIN IMMEDIATE;\n${step}\nPRAGMA user_version = ${from + index + 1};\nCOMMIT;`);
  });
}

/**
 * The first write of a log makes the file and waits until the disk has it, which takes tens of milliseconds while the
 * reader is busy: better now than when a page waits for an answer.
 */
function beginLog(database: Database, version: number): void {
  try {
    database.exec(`PRAGMA user_version = ${version}`);
  } catch {
    // A full disk: whoever has something to write is told.
  }
}

function schemaVersion(database: Database): number {
  const row = database.prepare('PRAGMA user_version').get() as { user_version: number };
  return row.user_version;
}

/** Bytes 60 to 63 of an SQLite file hold `user_version`; an empty file has none. */
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
    `${file} has schema version ${found}; this program knows ${known}. It was left untouched.`,
    'Start the newer tugdeck, or choose another data directory with --data-dir.',
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
