/**
 * The ledger: a record of each of our processes, one private file each in the data directory. It is written before
 * the process prints anything; a process that is not in the ledger is never killed.
 */
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { dataDirectory, makeDataDirectory } from './data-directory.ts';
import { DEFAULT_TIMINGS } from './default-timings.ts';
import { breakLock, isLeaseExpired, type LeaseTimings, lockHolder } from './lock.ts';
import { readOwnFile } from './ownership.ts';
import { whereabouts } from './place.ts';
import { writePrivate } from './private-file.ts';
import { isProcessIdentity, isRunning, isSameProcess, type ProcessIdentity } from './process-identity.ts';
import { isOneOf, isText, isWhole, optional, parseShape, shapeOf } from './shape.ts';

const PURPOSES = ['host', 'agent', 'terminals', 'server', 'keeper'] as const;

export interface LedgerRecord {
  /** `host-<session>`, `agent-<session>`, `terminals`, `server` or `keeper`. */
  readonly id: string;
  readonly purpose: (typeof PURPOSES)[number];
  readonly identity: ProcessIdentity;
  readonly group?: number | undefined;
  readonly session?: string | undefined;
  readonly socket?: string | undefined;
  /** A link to the process's socket needs it. */
  readonly secret?: string | undefined;
  /**
   * The value of `TUGDECK_MARK` in the environment of an agent or terminal and all its children. A host's record has
   * the mark of its agents, so that an agent whose host died before recording it is found too.
   */
  readonly mark?: string | undefined;
  readonly program?: string | undefined;
  readonly linkVersion?: number | undefined;
}

const ID = /^[0-9a-zA-Z-]{1,100}$/;
const isLedgerRecord = shapeOf<LedgerRecord>({
  id: (value) => typeof value === 'string' && ID.test(value),
  purpose: isOneOf(PURPOSES),
  identity: isProcessIdentity,
  group: optional(isWhole(1)),
  session: optional(isText),
  socket: optional(isText),
  secret: optional(isText),
  mark: optional(isText),
  program: optional(isText),
  linkVersion: optional(isWhole(0)),
});

export interface Ledger {
  write(record: LedgerRecord): void;
  get(id: string): LedgerRecord | undefined;
  read(): LedgerRecord[];
  remove(id: string): void;
  /** Checks the pid, or the lease of the process's lock if its pid has no meaning here (N1). */
  isAlive(record: LedgerRecord): boolean;
  /**
   * The process has released everything: neither record nor lock are its own. Used to wait for a process in another
   * place.
   */
  hasLeft(record: LedgerRecord): boolean;
  /** Makes a process in another place that cannot be reached exit by itself (N2). */
  breakLock(record: LedgerRecord): void;
}

export function openLedger(
  directory: string,
  { leaseExpiryMs }: Pick<LeaseTimings, 'leaseExpiryMs'> = DEFAULT_TIMINGS,
): Ledger {
  makeDataDirectory(directory);
  const fileOf = (id: string) => join(directory, `${id}.json`);
  const get = (id: string): LedgerRecord | undefined => {
    let text: string | undefined;
    try {
      text = readOwnFile(fileOf(id));
    } catch (error) {
      // Another user wrote this record, so it proves nothing about any process (X9).
      if (error instanceof CodedError) return undefined;
      throw error;
    }
    // An invalid record proves nothing either.
    return text === undefined ? undefined : parseShape(text, isLedgerRecord);
  };
  const root = dirname(dirname(directory));
  const holdsLock = (record: LedgerRecord): boolean => {
    const holder = lockHolder(lockFile(root, record));
    return holder !== undefined && isSameProcess(holder, holderOf(record, holder));
  };
  return {
    isAlive(record) {
      const where = whereabouts(record.identity);
      if (where !== 'elsewhere') return where === 'here' && isRunning(record.identity);
      return holdsLock(record) && !isLeaseExpired(lockFile(root, record), leaseExpiryMs);
    },
    hasLeft(record) {
      const now = get(record.id);
      return (!now || !isSameProcess(now.identity, record.identity)) && !holdsLock(record);
    },
    breakLock: (record) => breakLock(lockFile(root, record), record.identity),
    get,
    write(record) {
      if (!isLedgerRecord(record)) throw new Error('not a record of the ledger');
      writePrivate(fileOf(record.id), JSON.stringify(record));
    },
    read: () =>
      readdirSync(directory)
        .filter((name) => name.endsWith('.json'))
        .map((name) => get(name.slice(0, -'.json'.length)))
        .filter((record) => record !== undefined),
    remove: (id) => rmSync(fileOf(id), { force: true }),
  };
}

/** The lock that a process holds while it runs; an agent depends on its host's lock. */
function lockFile(root: string, { id, purpose, session }: LedgerRecord): string {
  return (purpose === 'host' || purpose === 'agent') && session !== undefined
    ? dataDirectory(root).session(session).lock
    : runLock(root, id);
}

/** The lock of a process that exists once per data directory. */
export function runLock(root: string, id: string): string {
  return join(root, 'run', `${id}.lock`);
}

/** The expected holder of the lock; for an agent, its host, if that is in the same place. */
function holderOf({ purpose, identity }: LedgerRecord, holder: ProcessIdentity): ProcessIdentity {
  return purpose === 'agent' ? { ...identity, pid: holder.pid, started: holder.started } : identity;
}
