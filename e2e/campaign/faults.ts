/** What can happen to the processes and sockets of the product. Each fault is undone or survivable; none asks anybody. */
import { freeze, isAlive, kill9, thaw } from '@tugdeck/testkit/process-facts';
import type { Deck } from '../deck.ts';
import { pick, type Random } from '../fuzz/random.ts';
import type { HeadlessPage } from './client.ts';

export const FAULTS = [
  'kill agent',
  'kill host',
  'kill server',
  'freeze agent',
  'freeze host',
  'freeze server',
  'cut sockets',
  'restart server',
] as const;
export type Fault = (typeof FAULTS)[number];

/** How often each occurs, of 100. */
const SHARES: Readonly<Record<Fault, number>> = {
  'kill agent': 22,
  'kill host': 22,
  'kill server': 12,
  'freeze agent': 8,
  'freeze host': 8,
  'freeze server': 4,
  'cut sockets': 20,
  'restart server': 4,
};

export function chooseFault(random: Random): Fault {
  let left = random() * 100;
  for (const fault of FAULTS) {
    left -= SHARES[fault];
    if (left < 0) return fault;
  }
  return 'cut sockets';
}

export interface Victims {
  readonly deck: Deck;
  readonly pages: readonly HeadlessPage[];
  readonly random: Random;
  /** For how long something is frozen. */
  readonly frozenMs: number;
}

/** False when there was nobody to harm. */
export async function strike(fault: Fault, { deck, pages, random, frozenMs }: Victims): Promise<boolean> {
  const [verb, what] = fault.split(' ');
  if (fault === 'cut sockets') {
    pick(random, pages)?.cut();
    return true;
  }
  if (fault === 'kill server' || fault === 'restart server') {
    if (verb === 'kill') await deck.killServer();
    else await deck.run('stop');
    await deck.startServer();
    return true;
  }
  const pid =
    what === 'server'
      ? deck.serverPid
      : pick(random, deck.records(what === 'host' ? 'host' : 'agent'))?.identity.pid;
  if (!pid || !isAlive(pid)) return false;
  if (verb === 'kill') signalled(() => kill9(pid));
  else {
    signalled(() => freeze(pid));
    await new Promise((resolve) => setTimeout(resolve, frozenMs));
    signalled(() => thaw(pid));
  }
  return true;
}

/** It may have ended between the look and the blow. */
function signalled(send: () => void): void {
  try {
    send();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
