/**
 * The ledger: every process of ours, one private file each in the data directory (ARCHITECTURE §2).
 * Written before the process's first line of output; what it does not name is never killed.
 */
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { dataDirectory, makeDataDirectory } from './data-directory.ts';
import { DEFAULT_TIMINGS } from './default-timings.ts';
import { breakLock, isLeaseExpired, type LeaseTimings, lockHolder } from './lock.ts';
import { readOwnFile } from './own-place.ts';
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
   * In the environment of an agent or a terminal and of all that it starts: `TUGDECK_MARK`. A host's record has that
   * of its agents, so that one which its host could not write down any more is found as well.
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
  /** Judged by its pid, or by the lease of its lock where its pid means nothing here (N1). */
  isAlive(record: LedgerRecord): boolean;
  /** It let go of everything: neither record nor lock are its own. What one of another place is waited for with. */
  hasLeft(record: LedgerRecord): boolean;
  /** Makes a process of another place that cannot be reached end itself (N2). */
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
      // Written by somebody else: it proves nothing about any process (X9).
      if (error instanceof CodedError) return undefined;
      throw error;
    }
    // What is not a record proves nothing either.
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

/** The lock that a process of ours holds for as long as it runs; an agent lives and dies with its host's. */
function lockFile(root: string, { id, purpose, session }: LedgerRecord): string {
  return (purpose === 'host' || purpose === 'agent') && session !== undefined
    ? dataDirectory(root).session(session).lock
    : runLock(root, id);
}

/** The lock of a process of which there is one per data directory. */
export function runLock(root: string, id: string): string {
  return join(root, 'run', `${id}.lock`);
}

/** Whom the lock must name: an agent's host, whoever it is, if it is in the same place. */
function holderOf({ purpose, identity }: LedgerRecord, holder: ProcessIdentity): ProcessIdentity {
  return purpose === 'agent' ? { ...identity, pid: holder.pid, started: holder.started } : identity;
}
