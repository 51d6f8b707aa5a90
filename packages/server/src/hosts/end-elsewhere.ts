/**
 * Ends a process of ours that runs in another pid namespace or on another machine (N1, `stop --all`): no signal reaches it, and
 * its pid means nothing here. One that was asked over its socket is waited for; else its lock is taken away, and it ends
 * itself when it notices (N2).
 */
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Ledger, LedgerRecord } from '@tugdeck/local/ledger';
import { isOtherMachine, whereabouts } from '@tugdeck/local/place';
import type { Timings } from '@tugdeck/local/timings';

const POLL_MS = 25;
const LOADED_MACHINE_MS = 10_000;

export function isElsewhere({ identity }: LedgerRecord): boolean {
  return whereabouts(identity) === 'elsewhere';
}

/** What a process needs to end itself and what it started: the agent's farewell, and signals. */
export function endingMs(timings: Pick<Timings, 'farewellMs' | 'terminateMs'>): number {
  return timings.farewellMs + 2 * timings.terminateMs + 1_000;
}

/** False where it could not be seen to end; it does as soon as it can look at its lock. */
export async function endElsewhere(
  record: LedgerRecord,
  ledger: Ledger,
  { isAsked, withinMs, leaseMs }: { isAsked: boolean; withinMs: number; leaseMs: number },
): Promise<boolean> {
  if (isAsked && (await becomesTrue(() => ledger.hasLeft(record), withinMs))) return true;
  ledger.breakLock(record);
  if (await becomesTrue(() => ledger.hasLeft(record), leaseMs)) return true;
  // It has looked at its lock by now, if it runs. On this machine it is worth waiting for, however busy that is.
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
 * It was killed: its socket is still there, and nobody listens. One that ends removes its socket first. Says nothing of
 * another machine's.
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
