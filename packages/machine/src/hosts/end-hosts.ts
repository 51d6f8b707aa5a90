/**
 * Ends every session host and its agent (L8, `stop --all`): first over the host's own link, then by the ledger and
 * the mark. Works without a running server.
 */

import { endElsewhere, endingMs, isElsewhere } from '@tugdeck/local/end-elsewhere';
import type { Ledger, LedgerRecord } from '@tugdeck/local/ledger';
import { endTree } from '@tugdeck/local/process-ending';
import type { ProcessIdentity } from '@tugdeck/local/process-identity';
import type { Timings } from '@tugdeck/local/timings';
import { connectHost } from './host-connection.ts';
import { addressOf } from './live-host.ts';

export interface EndedHosts {
  readonly hosts: number;
  /** Processes that could not be ended; normally empty. */
  readonly left: readonly ProcessIdentity[];
}

export async function endHosts(ledger: Ledger, timings: Timings): Promise<EndedHosts> {
  const hosts = ledger.read().filter(({ purpose }) => purpose === 'host');
  const running = hosts.filter(ledger.isAlive);
  const left = await Promise.all(hosts.map((record) => endHost(record, ledger, timings)));
  // Read again: an agent may have started since, and agents of dead hosts are ended here too.
  const agents = ledger.read().filter(({ purpose }) => purpose === 'agent');
  const agentsLeft = await Promise.all(agents.map((record) => endAgent(record, ledger, timings)));
  return { hosts: running.length, left: [...left, ...agentsLeft].flat() };
}

async function endHost(record: LedgerRecord, ledger: Ledger, timings: Timings): Promise<ProcessIdentity[]> {
  // The host needs time to shut down its agent before it exits.
  const withinMs = endingMs(timings);
  const isAlive = ledger.isAlive(record);
  const isRequested = isAlive && (await requestEnd(record, timings));
  if (isAlive && isElsewhere(record)) {
    const { leaseMs } = timings;
    // The record stays, so that the next call tries again.
    if (!(await endElsewhere(record, ledger, { isRequested, withinMs, leaseMs }))) return [record.identity];
  }
  return endRecorded(record, ledger, { ...timings, farewellMs: isRequested ? withinMs : 0 });
}

/** An agent elsewhere is ended by its host. Its processes that are visible here are found by the mark. */
function endAgent(record: LedgerRecord, ledger: Ledger, timings: Timings): Promise<ProcessIdentity[]> {
  const host = ledger.get(`host-${record.session}`);
  if (isElsewhere(record) && host && isElsewhere(host)) return Promise.resolve([]);
  return endRecorded(record, ledger, timings);
}

async function endRecorded(
  record: LedgerRecord,
  ledger: Ledger,
  timings: Pick<Timings, 'farewellMs' | 'terminateMs'>,
): Promise<ProcessIdentity[]> {
  const left = await endTree(record, timings);
  if (left.length === 0) ledger.remove(record.id);
  return left;
}

async function requestEnd(record: LedgerRecord, timings: Timings): Promise<boolean> {
  const address = addressOf(record);
  if (!address) return false;
  const ignore = () => undefined;
  try {
    const host = await connectHost(
      address,
      { received: ignore, unreadable: ignore, closed: ignore },
      timings.terminateMs,
    );
    host.send({ type: 'end' });
    return true;
  } catch {
    return false; // It does not answer; signals remain.
  }
}
