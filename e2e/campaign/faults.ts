/**
 * Faults of the product's processes, sockets, disk and clock. Each fault is undone or survivable. Faults inside prompts
 * (garbage output, a failing model, two answers at once) are in `prompts.ts`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { freeze, isAlive, kill9, thaw } from '@tugdeck/testkit/process-facts';
import type { Deck } from '../deck.ts';
import { below, pick, type Random } from '../fuzz/random.ts';
import type { Builds } from './builds.ts';
import type { HeadlessPage } from './client.ts';
import { type Kind, pidsOf } from './curves.ts';
import type { SmallDisk } from './small-disk.ts';

/** The weight of each fault. */
const SHARES = {
  'kill agent': 16,
  'kill host': 16,
  'kill server': 7,
  'kill reader': 4,
  'kill terminals': 3,
  'kill page': 2,
  'freeze agent': 5,
  'freeze host': 5,
  'freeze server': 3,
  'freeze reader': 2,
  'freeze terminals': 2,
  'cut socket': 9,
  'half-open socket': 4,
  'slow reader': 4,
  'full disk': 2,
  'read-only disk': 1,
  'clock jump': 4,
  'restart server': 2,
  'upgrade server': 2,
} as const;
export type Fault = keyof typeof SHARES;
export const FAULTS = Object.keys(SHARES) as readonly Fault[];

const WHOLE = Object.values<number>(SHARES).reduce((sum, share) => sum + share, 0);
const DAY_MS = 24 * 3_600_000;
/** Less than half the lifetime of a sign-in, which ends by the clock. */
const CLOCK_DAYS = 10;

export function chooseFault(random: Random): Fault {
  let left = random() * WHOLE;
  for (const fault of FAULTS) {
    left -= SHARES[fault];
    if (left < 0) return fault;
  }
  return 'cut socket';
}

export interface Stage {
  readonly deck: Deck;
  readonly builds: Builds;
  readonly disk: SmallDisk;
  /** Pages that stay open; faults hit their sockets. */
  readonly pages: readonly HeadlessPage[];
  /** Pages that open and close. */
  readonly guests: HeadlessPage[];
  readonly newGuest: () => Promise<HeadlessPage>;
  /** Serializes faults of the one server, disk and clock. */
  readonly alone: <T>(act: () => Promise<T>) => Promise<T>;
}

/** False without a target. */
export async function strike(fault: Fault, stage: Stage, random: Random): Promise<boolean> {
  const { deck, builds, disk, pages, guests } = stage;
  const briefly = 50 + random() * 250;
  switch (fault) {
    case 'kill agent':
    case 'kill host':
    case 'kill reader':
    case 'kill terminals':
      return signalled(kindOf(fault), stage, random, kill9);
    case 'freeze agent':
    case 'freeze host':
    case 'freeze reader':
    case 'freeze terminals':
    case 'freeze server':
      return frozen(kindOf(fault), stage, random, briefly);
    case 'kill server':
      return stage.alone(async () => {
        await deck.killServer();
        await deck.startServer();
        return true;
      });
    case 'restart server':
    case 'upgrade server':
      return stage.alone(async () => {
        await deck.run('stop');
        await deck.startServer(fault === 'upgrade server' ? pick(random, builds.programs) : undefined);
        return true;
      });
    case 'kill page': {
      const at = below(random, guests.length);
      const guest = guests[at];
      if (!guest) return false;
      guest.wire.cut();
      guest.close();
      guests.splice(at, 1);
      guests.push(await stage.alone(stage.newGuest));
      return true;
    }
    case 'cut socket':
      pick(random, [...pages, ...guests])?.wire.cut();
      return true;
    case 'half-open socket': {
      const page = pick(random, [...pages, ...guests]);
      page?.wire.mute();
      await delay(briefly * 4);
      // As the system or the user would eventually do.
      page?.wire.cut();
      return true;
    }
    case 'slow reader': {
      const page = pick(random, [...pages, ...guests]);
      page?.wire.stall();
      await delay(briefly * 4);
      page?.wire.flow();
      return true;
    }
    case 'full disk':
      if (disk.missing !== undefined) return false;
      return stage.alone(() => during(disk.fill, disk.empty, briefly * 2));
    case 'read-only disk':
      if (disk.missing !== undefined) return false;
      return stage.alone(() => during(disk.forbid, disk.permit, briefly * 2));
    case 'clock jump':
      builds.shiftClock(Math.round((random() * 2 - 1) * CLOCK_DAYS * DAY_MS));
      return true;
  }
}

const kindOf = (fault: Fault): Kind => fault.split(' ')[1] as Kind;

async function during(
  begin: () => Promise<void>,
  end: () => Promise<void>,
  milliseconds: number,
): Promise<boolean> {
  await begin();
  try {
    await delay(milliseconds);
  } finally {
    await end();
  }
  return true;
}

function signalled(kind: Kind, { deck }: Stage, random: Random, send: (pid: number) => void): boolean {
  const pid = pick(random, pidsOf(deck)[kind]);
  if (!pid || !isAlive(pid)) return false;
  unlessGone(() => send(pid));
  return true;
}

async function frozen(kind: Kind, { deck }: Stage, random: Random, milliseconds: number): Promise<boolean> {
  const pid = pick(random, pidsOf(deck)[kind]);
  if (!pid || !isAlive(pid)) return false;
  unlessGone(() => freeze(pid));
  await delay(milliseconds);
  unlessGone(() => thaw(pid));
  return true;
}

/** The process may have exited before the signal. */
function unlessGone(send: () => void): void {
  try {
    send();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
