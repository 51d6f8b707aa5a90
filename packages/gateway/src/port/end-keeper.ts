/**
 * Ends the port keeper and releases the port (`stop --all`, or another port is wanted): first over its link, then by
 * the ledger.
 */

import { endElsewhere, endingMs, isElsewhere } from '@tugdeck/local/end-elsewhere';
import { KEEPER_RECORD } from '@tugdeck/local/keeper-link';
import type { Ledger } from '@tugdeck/local/ledger';
import { endTree } from '@tugdeck/local/process-ending';
import type { ProcessIdentity } from '@tugdeck/local/process-identity';
import type { Timings } from '@tugdeck/local/timings';
import { connectKeeper } from './keeper-connection.ts';

/** Returns processes that could not be ended; normally none. */
export async function endKeeper(ledger: Ledger, timings: Timings): Promise<readonly ProcessIdentity[]> {
  const record = ledger.get(KEEPER_RECORD);
  if (!record) return [];
  const isAlive = ledger.isAlive(record);
  const keeper = isAlive
    ? await connectKeeper(record, timings.terminateMs).catch(() => undefined)
    : undefined;
  keeper?.send({ type: 'end' });
  const isRequested = keeper !== undefined;
  if (isAlive && isElsewhere(record)) {
    const waits = { isRequested, withinMs: endingMs(timings), leaseMs: timings.leaseMs };
    if (!(await endElsewhere(record, ledger, waits))) return [record.identity];
  }
  const left = await endTree(record, { ...timings, farewellMs: isRequested ? timings.terminateMs : 0 });
  keeper?.close();
  if (left.length === 0) ledger.remove(KEEPER_RECORD);
  return left;
}
