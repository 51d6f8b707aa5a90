/**
 * Finds the running server through the ledger (L2). Kept apart from the control messages, because starting a server
 * looks for a running one first and only then loads them.
 */
import { type LedgerRecord, openLedger } from '@tugdeck/local/ledger';
import type { ProcessIdentity } from '@tugdeck/local/process-identity';
import { withTimings } from '@tugdeck/local/timings';

export interface FoundServer {
  readonly record: LedgerRecord;
  readonly identity: ProcessIdentity;
  readonly socket: string;
}

export const SERVER_RECORD = 'server';

/** `timings` as in `config.json`: they set how long the lease of a server elsewhere is valid (N1). */
export function findServer(ledgerDirectory: string, timings?: unknown): FoundServer | undefined {
  const ledger = openLedger(ledgerDirectory, withTimings(timings));
  const record = ledger.get(SERVER_RECORD);
  if (!record?.socket || !ledger.isAlive(record)) return undefined;
  return { record, identity: record.identity, socket: record.socket };
}
