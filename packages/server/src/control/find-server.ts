/** Finds the running server by the ledger (L2). Without the messages to it: the start of a server looks first of all, and asks only one that runs. */
import { type LedgerRecord, openLedger } from '@tugdeck/local/ledger';
import type { ProcessIdentity } from '@tugdeck/local/process-identity';
import { withTimings } from '@tugdeck/local/timings';

export interface FoundServer {
  readonly record: LedgerRecord;
  readonly identity: ProcessIdentity;
  readonly socket: string;
}

export const SERVER_RECORD = 'server';

/** `timings` as in `config.json`: how long the lease of a server in another place lasts (N1). */
export function findServer(ledgerDirectory: string, timings?: unknown): FoundServer | undefined {
  const ledger = openLedger(ledgerDirectory, withTimings(timings));
  const record = ledger.get(SERVER_RECORD);
  if (!record?.socket || !ledger.isAlive(record)) return undefined;
  return { record, identity: record.identity, socket: record.socket };
}
