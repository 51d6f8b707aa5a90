/**
 * Ends every session host and its agent (L8, `stop --all`): each is asked over its own link first, then ended
 * by what the ledger and the mark prove. Works by the ledger alone, so the server need not run.
 */
import type { Ledger, LedgerRecord } from '@tugdeck/local/ledger';
import { endTree } from '@tugdeck/local/process-ending';
import { isRunning, type ProcessIdentity } from '@tugdeck/local/process-identity';
import type { Timings } from '@tugdeck/local/timings';
import { connectHost } from './host-connection.ts';
import { addressOf } from './live-host.ts';

export interface Ended {
  readonly hosts: number;
  /** What could not be ended: hopefully nothing. */
  readonly left: readonly ProcessIdentity[];
}

export async function endHosts(ledger: Ledger, timings: Timings): Promise<Ended> {
  const hosts = ledger.read().filter(({ purpose }) => purpose === 'host');
  const running = hosts.filter(({ identity }) => isRunning(identity));
  const left = await Promise.all(hosts.map((record) => endHost(record, ledger, timings)));
  // Read again: an agent may have been started meanwhile, and one of a dead host is ended here as well.
  const agents = ledger.read().filter(({ purpose }) => purpose === 'agent');
  const agentsLeft = await Promise.all(agents.map((record) => endRecorded(record, ledger, timings)));
  return { hosts: running.length, left: [...left, ...agentsLeft].flat() };
}

async function endHost(record: LedgerRecord, ledger: Ledger, timings: Timings): Promise<ProcessIdentity[]> {
  // The host needs its own time to say farewell to its agent before it leaves itself.
  const farewellMs = timings.farewellMs + 2 * timings.terminateMs + 1_000;
  const asked = isRunning(record.identity) && (await askToEnd(record, timings));
  return endRecorded(record, ledger, { ...timings, farewellMs: asked ? farewellMs : 0 });
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
      { said: ignore, unreadable: ignore, closed: ignore },
      timings.terminateMs,
    );
    host.send({ type: 'end' });
    return true;
  } catch {
    return false; // It does not answer: signals are left.
  }
}
