/**
 * Whether a dead host left work that must be resumed. Reads the journal and the ledger only; the next host does the
 * recovery.
 */

import { tail } from '@tugdeck/journal/reading';
import { runInSlices } from '@tugdeck/local/cooperative';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Ledger } from '@tugdeck/local/ledger';
import { membersOf } from '@tugdeck/local/process-ending';

export async function hasUnfinishedWork(
  session: string,
  data: DataDirectory,
  ledger: Ledger,
): Promise<boolean> {
  const records = [ledger.get(`agent-${session}`), ledger.get(`host-${session}`)];
  if (records.some((record) => record && membersOf(record).length > 0)) return true;
  const state = await runInSlices(tail(data.session(session)));
  if (!state) return false;
  return state.turn !== null || state.queue.length > 0 || Object.keys(state.open).length > 0;
}
