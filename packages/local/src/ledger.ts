/**
 * The ledger: a record of each of our processes, one private file each in the data directory. It is written before
 * the process prints anything; a process that is not in the ledger is never killed.
 */
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';
import { dataDirectory, makeDataDirectory } from './data-directory.ts';
import { breakLock, isLeaseExpired, type LeaseTimings, lockHolder } from './lock.ts';
import { readOwnFile } from './ownership.ts';
import { whereabouts } from './place.ts';
import { writePrivate } from './private-file.ts';
import { isRunning, isSameProcess, type ProcessIdentity, processIdentitySchema } from './process-identity.ts';
import { DEFAULT_TIMINGS } from './timings.ts';

export const ledgerRecordSchema = z.object({
  /** `host-<session>`, `agent-<session>`, `terminals`, `server` or `keeper`. */
  id: z.string().regex(/^[0-9a-zA-Z-]{1,100}$/),
  purpose: z.enum(['host', 'agent', 'terminals', 'server', 'keeper']),
  identity: processIdentitySchema,
  group: z.number().int().positive().optional(),
  session: z.string().optional(),
  socket: z.string().optional(),
  /** Needed to connect to the process's socket. */
  secret: z.string().optional(),
  /**
   * The value of `TUGDECK_MARK` in the environment of an agent or terminal and all its children. A host's record has
   * the mark of its agents, so that an agent whose host died before recording it is found too.
   */
  mark: z.string().optional(),
  program: z.string().optional(),
  linkVersion: z.number().int().optional(),
});
export type LedgerRecord = z.infer<typeof ledgerRecordSchema>;

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
    return text === undefined ? undefined : parseRecord(text);
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
    write: (record) => writePrivate(fileOf(record.id), JSON.stringify(ledgerRecordSchema.parse(record))),
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

function parseRecord(text: string): LedgerRecord | undefined {
  try {
    return ledgerRecordSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // Not JSON, so it identifies no process.
  }
}
