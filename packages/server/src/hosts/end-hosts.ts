/**
 * Ends every session host and its agent (L8, `stop --all`): each is asked over its own link first, then ended
 * by what the ledger and the mark prove. Works by the ledger alone, so the server need not run.
 */
import type { Ledger, LedgerRecord } from '@tugdeck/local/ledger';
import { endTree } from '@tugdeck/local/process-ending';
import type { ProcessIdentity } from '@tugdeck/local/process-identity';
import type { Timings } from '@tugdeck/local/timings';
import { endElsewhere, endingMs, isElsewhere } from './end-elsewhere.ts';
import { connectHost } from './host-connection.ts';
import { addressOf } from './live-host.ts';

export interface EndedHosts {
  readonly hosts: number;
  /** What could not be ended: hopefully nothing. */
  readonly left: readonly ProcessIdentity[];
}

export async function endHosts(ledger: Ledger, timings: Timings): Promise<EndedHosts> {
  const hosts = ledger.read().filter(({ purpose }) => purpose === 'host');
  const running = hosts.filter(ledger.isAlive);
  const left = await Promise.all(hosts.map((record) => endHost(record, ledger, timings)));
  // Read again: an agent may have been started meanwhile, and one of a dead host is ended here as well.
  const agents = ledger.read().filter(({ purpose }) => purpose === 'agent');
  const agentsLeft = await Promise.all(agents.map((record) => endAgent(record, ledger, timings)));
  return { hosts: running.length, left: [...left, ...agentsLeft].flat() };
}

async function endHost(record: LedgerRecord, ledger: Ledger, timings: Timings): Promise<ProcessIdentity[]> {
  // The host needs its own time to say farewell to its agent before it leaves itself.
  const withinMs = endingMs(timings);
  const isAlive = ledger.isAlive(record);
  const isAsked = isAlive && (await askToEnd(record, timings));
  if (isAlive && isElsewhere(record)) {
    const { leaseMs } = timings;
    // Its record stays: the next call looks again.
    if (!(await endElsewhere(record, ledger, { isAsked, withinMs, leaseMs }))) return [record.identity];
  }
  return endRecorded(record, ledger, { ...timings, farewellMs: isAsked ? withinMs : 0 });
}

/** One of another place is its host's to end. What of it can be seen from here, by its mark, is ended here too. */
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

async function askToEnd(record: LedgerRecord, timings: Timings): Promise<boolean> {
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
    return false; // It does not answer: signals are left.
  }
}
