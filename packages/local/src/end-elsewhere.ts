/**
 * Ends one of our processes in another pid namespace or on another machine (N1, `stop --all`). Signals cannot reach
 * it, so the request goes through its socket; if that fails, its lock is broken and it exits when it notices (N2).
 */
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Ledger, LedgerRecord } from './ledger.ts';
import { isOtherMachine, whereabouts } from './place.ts';
import type { Timings } from './timings.ts';

const POLL_MS = 25;
const LOADED_MACHINE_MS = 10_000;

export function isElsewhere({ identity }: LedgerRecord): boolean {
  return whereabouts(identity) === 'elsewhere';
}

/** Time a process needs to exit together with the agent or programs it started. */
export function endingMs(timings: Pick<Timings, 'farewellMs' | 'terminateMs'>): number {
  return timings.farewellMs + 2 * timings.terminateMs + 1_000;
}

/** Returns false if the exit could not be confirmed. The process still exits when it next checks its lock. */
export async function endElsewhere(
  record: LedgerRecord,
  ledger: Ledger,
  { isRequested, withinMs, leaseMs }: { isRequested: boolean; withinMs: number; leaseMs: number },
): Promise<boolean> {
  if (isRequested && (await becomesTrue(() => ledger.hasLeft(record), withinMs))) return true;
  ledger.breakLock(record);
  if (await becomesTrue(() => ledger.hasLeft(record), leaseMs)) return true;
  // A running process has checked its lock by now. On this machine it gets extra time, in case the machine is loaded.
  const timeoutMs = withinMs + (isOtherMachine(record.identity) ? 0 : LOADED_MACHINE_MS);
  return becomesTrue(async () => ledger.hasLeft(record) || (await isKilled(record)), timeoutMs);
}

async function becomesTrue(fact: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!(await fact())) {
    if (performance.now() > deadline) return false;
    await wait(POLL_MS);
  }
  return true;
}

/**
 * A killed process leaves its socket file without a listener; one that exits removes the file first. Unknown for
 * other machines.
 */
function isKilled({ identity, socket }: LedgerRecord): Promise<boolean> {
  if (socket === undefined || isOtherMachine(identity)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const link = connect(socket);
    link.once('connect', () => {
      link.destroy();
      resolve(false);
    });
    link.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });
}
