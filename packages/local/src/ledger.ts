/**
 * The ledger: every process of ours, one private file each in the data directory (ARCHITECTURE §2).
 * Written before the process's first line of output; what it does not name is never killed.
 */
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';
import { dataDirectory, makeDataDirectory } from './data-directory.ts';
import { breakLock, isLeaseExpired, type LeaseTimings, lockHolder } from './lock.ts';
import { readOwnFile } from './own-place.ts';
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
  /** A link to the process's socket needs it. */
  secret: z.string().optional(),
  /**
   * In the environment of an agent or a terminal and of all that it starts: `TUGDECK_MARK`. A host's record has that
   * of its agents, so that one which its host could not write down any more is found as well.
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

function parseRecord(text: string): LedgerRecord | undefined {
  try {
    return ledgerRecordSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // Not JSON: nobody can be proven by it, so it names nobody.
  }
}
