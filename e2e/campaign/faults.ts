/**
 * Faults of the product's processes, sockets, disk and clock. Each fault is undone or survivable. Faults inside prompts
 * (garbage output, a failing model, two answers at once) are in `prompts.ts`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { freeze, isAlive, kill9, thaw } from '@tugdeck/testkit/process-facts';
import type { Deck } from '../deck.ts';
import { below, pick, type Random } from '../fuzz/random.ts';
import type { SshRoute } from '../over-ssh.ts';
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
/** The weight of each fault of a link to another machine. */
const LINK_SHARES = {
  'kill carrier': 8,
  'kill bridge': 6,
  'freeze carrier': 4,
  'freeze bridge': 3,
  'cut link': 8,
  'half-open link': 5,
} as const;
export type Fault = keyof typeof SHARES | keyof typeof LINK_SHARES;
const DAY_MS = 24 * 3_600_000;
/** Less than half the lifetime of a sign-in, which ends by the clock. */
const CLOCK_DAYS = 10;

export function chooseFault(random: Random, hasLinks = false): Fault {
  const shares = Object.entries({ ...SHARES, ...(hasLinks ? LINK_SHARES : {}) }) as [Fault, number][];
  let left = random() * shares.reduce((sum, [, share]) => sum + share, 0);
  for (const [fault, share] of shares) {
    left -= share;
    if (left < 0) return fault;
  }
  return 'cut socket';
}

/** Another machine, which the deck reaches over ssh. */
export interface FarMachine {
  readonly name: string;
  readonly deck: Deck;
  readonly route: SshRoute;
}

export interface Stage {
  readonly deck: Deck;
  readonly far: readonly FarMachine[];
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
  const { builds, disk, pages, guests } = stage;
  // The one that is hit; undefined is this one.
  const place = pick(random, [undefined, ...stage.far]);
  const deck = place?.deck ?? stage.deck;
  const briefly = 50 + random() * 250;
  switch (fault) {
    case 'kill agent':
    case 'kill host':
    case 'kill reader':
    case 'kill terminals':
      return signalled(kindOf(fault), deck, random, kill9);
    case 'freeze agent':
    case 'freeze host':
    case 'freeze reader':
    case 'freeze terminals':
    case 'freeze server':
      return frozen(kindOf(fault), deck, random, briefly);
    case 'kill carrier':
    case 'kill bridge':
      return signalledOne(linkPids(fault, stage, random), random, kill9);
    case 'freeze carrier':
    case 'freeze bridge':
      return frozenOne(linkPids(fault, stage, random), random, pick(random, [briefly, OVER_SILENCE_MS]) ?? 0);
    case 'cut link':
      pick(random, stage.far)?.route.wire.cut();
      return true;
    case 'half-open link': {
      const wire = pick(random, stage.far)?.route.wire;
      wire?.mute();
      await delay(pick(random, [briefly * 10, OVER_SILENCE_MS]) ?? 0);
      // Packets pass again, if the connection still exists.
      wire?.unmute();
      return true;
    }
    case 'kill server':
      return stage.alone(async () => {
        await (place ? killFar(place) : deck.killServer());
        // The next bridge starts the server of another machine.
        if (!place) await deck.startServer();
        return true;
      });
    case 'restart server':
    case 'upgrade server':
      return stage.alone(async () => {
        await deck.run('stop');
        if (!place)
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

/** Longer than a link may be silent. */
const OVER_SILENCE_MS = 18_000;

async function killFar({ deck }: FarMachine): Promise<void> {
  for (const pid of pidsOf(deck).server) if (isAlive(pid)) unlessGone(() => kill9(pid));
}

function linkPids(fault: Fault, { far }: Stage, random: Random): readonly number[] {
  const route = pick(random, far)?.route;
  return (fault.endsWith('bridge') ? route?.bridges() : route?.carriers()) ?? [];
}

function signalled(kind: Kind, deck: Deck, random: Random, send: (pid: number) => void): boolean {
  return signalledOne(pidsOf(deck)[kind], random, send);
}

function signalledOne(pids: readonly number[], random: Random, send: (pid: number) => void): boolean {
  const pid = pick(random, pids);
  if (!pid || !isAlive(pid)) return false;
  unlessGone(() => send(pid));
  return true;
}

function frozen(kind: Kind, deck: Deck, random: Random, milliseconds: number): Promise<boolean> {
  return frozenOne(pidsOf(deck)[kind], random, milliseconds);
}

async function frozenOne(pids: readonly number[], random: Random, milliseconds: number): Promise<boolean> {
  const pid = pick(random, pids);
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
