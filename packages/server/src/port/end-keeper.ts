/** Lets go of the port (`stop --all`, or another port is wanted): the keeper is asked, then ended by what the ledger proves. */
import { KEEPER_RECORD } from '@tugdeck/local/keeper-link';
import type { Ledger } from '@tugdeck/local/ledger';
import { endTree } from '@tugdeck/local/process-ending';
import { isRunning, type ProcessIdentity } from '@tugdeck/local/process-identity';
import type { Timings } from '@tugdeck/local/timings';
import { connectKeeper } from './keeper-connection.ts';

/** Gives what could not be ended: hopefully nothing. */
export async function endKeeper(ledger: Ledger, timings: Timings): Promise<readonly ProcessIdentity[]> {
  const record = ledger.get(KEEPER_RECORD);
  if (!record) return [];
  const keeper = isRunning(record.identity)
    ? await connectKeeper(record, timings.terminateMs).catch(() => undefined)
    : undefined;
  keeper?.send({ type: 'end' });
  const left = await endTree(record, { ...timings, farewellMs: keeper ? timings.terminateMs : 0 });
  keeper?.close();
  if (left.length === 0) ledger.remove(KEEPER_RECORD);
  return left;
}
