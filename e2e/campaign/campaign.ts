/**
 * A seeded campaign of faults against the real product: working sessions on two pages each, a terminal user, guests that
 * only watch, and several faults at a time. Ends with the judge; a seed repeats the choice of faults and prompts, not
 * their timing.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { claudeBinary } from '@tugdeck/testkit/agents';
import { commandOf, waitFor } from '@tugdeck/testkit/process-facts';
import { type Deck, type DeckOptions, openDeck } from '../deck.ts';
import { seeded } from '../fuzz/random.ts';
import { routeOverSsh } from '../over-ssh.ts';
import { type Builds, makeBuilds } from './builds.ts';
import { type HeadlessPage, headlessPage } from './client.ts';
import { growing, type Sample, sample } from './curves.ts';
import { judgeAll } from './evidence.ts';
import { chooseFault, type FarMachine, type Fault, type Stage, strike } from './faults.ts';
import { PROMPT_KINDS, SCRIPTS } from './prompts.ts';
import { mountSmallDisk, noDisk, type SmallDisk } from './small-disk.ts';
import { begin } from './soak.ts';
import { TerminalUser } from './terminal-user.ts';
import { User } from './user.ts';

export interface CampaignOptions {
  readonly seed: number;
  readonly sessions: number;
  readonly faults: number;
  /** This one and others, which its deck reaches over ssh; 1 by default. */
  readonly machines?: number;
  /** Mounts a disk to fill. Not in a test, which may be killed at any time. */
  readonly mayMount?: boolean;
  readonly log?: (words: string) => void;
}

export interface Outcome {
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
  readonly prompts: Readonly<Record<string, number>>;
  readonly delivered: number;
  readonly answers: { readonly given: number; readonly taken: number };
  readonly terminals: { readonly opened: number; readonly echoes: number };
  readonly refused: readonly string[];
  readonly problems: readonly string[];
  readonly orphans: number;
  readonly samples: readonly Sample[];
  readonly skipped: readonly string[];
}

/** The longest pause between two faults of one worker, so that users make progress too. */
const PAUSE_MS = 1_200;
/** Faults per prompt, at most: on a busy machine faults would otherwise run ahead of the users. */
const FAULTS_PER_PROMPT = 2;
const FAULTS_AHEAD = 40;
/** Without faults, users must make progress within this time. */
const CALM_MS = 180_000;
/** Every nth session uses the real agent, which takes seconds to start. */
const REAL_EVERY = 4;
/** Workers that cause faults at the same time; some wait for a server to start. */
const HANDS = 6;
const PAGES = 2;
const GUESTS = 1;
const SAMPLE_MS = 5_000;
/** Faults that need exclusive use of the server wait for each other. */
const STRIKE_MS = 600_000;
const WITNESS = fileURLToPath(new URL('witness.mjs', import.meta.url));
const TIMINGS = {
  restartMs: 20,
  restartWindowMs: 1,
  reconnectMs: [20, 50, 100],
  startRetryMs: [50, 100, 500, 1_000, 1_000, 1_000],
  // On a busy machine a frozen or newly started process is slow, not broken.
  startTimeoutMs: 60_000,
  hostStartMs: 60_000,
};

export async function campaign(options: CampaignOptions): Promise<Outcome> {
  const builds = makeBuilds();
  let disk: SmallDisk | undefined;
  const far: FarMachine[] = [];
  const decks: Deck[] = [];
  try {
    for (let at = 1; at < (options.machines ?? 1); at++) {
      const there = await openDeck(deckOptions(builds, options));
      decks.push(there);
      const name = `box${at}`;
      far.push({ name, deck: there, route: await routeOverSsh(there, builds.programs[0]) });
    }
    const machines = Object.fromEntries(far.map(({ name, route }) => [name, { command: route.command }]));
    const deck = await openDeck({
      ...deckOptions(builds, options, { machines }),
      async prepare({ data }) {
        disk = options.mayMount === false ? noDisk('not in a test') : await mountSmallDisk(data);
        return disk.dispose;
      },
    });
    decks.push(deck);
    if (!disk) throw new Error('no disk');
    return await act({ deck, far, builds, disk }, options);
  } catch (error) {
    // Cleanup may fail too, and must not hide the reason.
    options.log?.(error instanceof Error ? (error.stack ?? error.message) : String(error));
    throw error;
  } finally {
    for (const deck of decks.reverse()) await deck.close();
    for (const { route } of far) await route.close();
    builds.dispose();
  }
}

function deckOptions(
  builds: Builds,
  { sessions }: CampaignOptions,
  more: Readonly<Record<string, unknown>> = {},
): DeckOptions {
  return {
    // The builds are copies of this one and have the option.
    trust: true,
    program: builds.programs[0],
    timings: TIMINGS,
    config: ({ root }) => ({
      maxLiveHosts: Math.max(8, sessions),
      maxTurns: Math.max(8, sessions),
      agents: {
        claude: { command: process.execPath, args: [WITNESS, receivedIn(root), claudeBinary()] },
        witnessed: {
          command: process.execPath,
          args: [WITNESS, receivedIn(root), process.execPath, builds.demoAgent],
          env: { TUGDECK_DEMO_PACE: '4' },
        },
      },
      ...more,
    }),
  };
}

/** Outside the data directory, which is subject to faults. */
const receivedIn = (root: string): string => join(root, 'received');

/** A machine with its users. `name`: of another machine. */
interface Place {
  readonly deck: Deck;
  readonly name?: string;
  readonly users: User[];
}

async function act(
  { deck, far, builds, disk }: Pick<Stage, 'deck' | 'far' | 'builds' | 'disk'>,
  { seed, sessions, faults, log = () => undefined }: CampaignOptions,
): Promise<Outcome> {
  const places: Place[] = [{ deck }, ...far].map((place) => ({ ...place, users: [] }));
  for (const { fake } of places.map((place) => place.deck))
    for (const [keyword, script] of Object.entries(SCRIPTS)) fake.script(keyword, script);
  const pages = await Promise.all(Array.from({ length: PAGES }, () => headlessPage(deck)));
  const users: User[] = [];
  for (let at = 0; at < sessions; at++) {
    const cast = at % REAL_EVERY === 0 ? 'claude' : 'demo';
    const [first] = pages;
    if (!first) throw new Error('no page');
    // Each machine gets every cast.
    const place = places[Math.floor(at / REAL_EVERY) % places.length] ?? places[0];
    const session = await begin(first, cast === 'claude' ? 'claude' : 'witnessed', place?.name);
    const channels = pages.map(({ client }) => client.conversation(session));
    const user = new User({ cast, channels, random: seeded(seed + at), kinds: PROMPT_KINDS });
    users.push(user);
    place?.users.push(user);
  }
  const guests: HeadlessPage[] = [];
  const newGuest = async () => {
    // A clock jump between creating the address and using it makes it invalid.
    const guest = await waitFor(() => headlessPage(deck), { what: 'a guest to sign in', timeoutMs: 60_000 });
    for (const { session } of users) guest.client.conversation(session);
    return guest;
  };
  for (let at = 0; at < GUESTS; at++) guests.push(await newGuest());

  const problems: string[] = [];
  const note = (error: unknown) => problems.push(error instanceof Error ? error.message : String(error));
  const [, second] = pages;
  const typists = second ? places.map(({ name }) => new TerminalUser(second.client, name)) : [];
  const working = [...users, ...typists].map((one) => one.work().catch(note));

  const samples: Sample[] = [];
  const began = performance.now();
  const takeSample = () => samples.push(sample(deck, (performance.now() - began) / 1000));
  const sampling = setInterval(takeSample, SAMPLE_MS);
  const stage: Stage = { deck, far, builds, disk, pages, guests, newGuest, alone: oneAtATime() };
  const struck = await strikeAll(stage, {
    seed,
    faults,
    done: () => users.reduce((sum, { sent }) => sum + sent.length, 0),
    log: (count) => log(`${count} faults, ${progress(users, problems)} ${deck.unasked.at(-1) ?? ''}`),
  });
  builds.shiftClock(0);
  for (const one of [...users, ...typists]) one.stop();
  await Promise.all(working);
  clearInterval(sampling);
  log(`judging: ${progress(users, problems)}`);
  problems.push(...growing(samples));
  for (const place of places) {
    problems.push(...place.deck.unasked);
    const received = receivedIn(place.deck.sandbox.root);
    const scene = { deck, home: place.deck, users: place.users, pages: [...pages, ...guests], received };
    problems.push(...(await judgeAll(scene, log)));
    if (!existsSync(received))
      problems.push(`the witness of ${place.name ?? 'this machine'} received nothing`);
  }
  for (const page of [...pages, ...guests]) page.close();
  const strays = [];
  // This machine first: its links would start the servers of the others again.
  for (const place of places) {
    const stopped = await place.deck.run('stop', '--all');
    if (stopped.code !== 0) problems.push(`stop --all: ${stopped.stderr}`);
    strays.push(...place.deck.sandbox.strays());
  }
  for (const pid of strays) problems.push(`left over: ${commandOf(pid).replaceAll('\0', ' ').slice(0, 300)}`);
  return {
    faults: struck,
    prompts: Object.fromEntries(
      PROMPT_KINDS.map((kind) => [
        kind,
        users.reduce((sum, { sent }) => sum + sent.filter((one) => one.kind === kind).length, 0),
      ]),
    ),
    delivered: users.reduce((sum, { sent }) => sum + sent.length, 0),
    answers: {
      given: users.reduce((sum, { answered }) => sum + answered.length, 0),
      taken: users.reduce((sum, { answered }) => sum + answered.filter((one) => one.accepted).length, 0),
    },
    terminals: {
      opened: typists.reduce((sum, { opened }) => sum + opened, 0),
      echoes: typists.reduce((sum, { echoes }) => sum + echoes, 0),
    },
    refused: users.flatMap(({ refused }) => refused),
    problems,
    orphans: strays.length,
    samples,
    skipped: disk.missing === undefined ? [] : [`full and read-only disk: ${disk.missing}`],
  };
}

async function strikeAll(
  stage: Stage,
  {
    seed,
    faults,
    done,
    log,
  }: { seed: number; faults: number; done: () => number; log: (count: number) => void },
): Promise<Partial<Record<Fault, number>>> {
  const struck: Partial<Record<Fault, number>> = {};
  let count = 0;
  const room = () => count < FAULTS_AHEAD + FAULTS_PER_PROMPT * done();
  const hand = async (number: number) => {
    const random = seeded(seed ^ (number * 7919));
    while (count < faults) {
      await waitFor(room, { what: 'a prompt while nothing breaks', timeoutMs: CALM_MS });
      const fault = chooseFault(random, stage.far.length > 0);
      if (await ended(fault, strike(fault, stage, random))) {
        struck[fault] = (struck[fault] ?? 0) + 1;
        count += 1;
        if (count % 20 === 0) log(count);
      }
      await delay(random() * PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: HANDS }, (_, number) => hand(number + 1)));
  return struck;
}

/** Limits the wait for a fault that is never undone. */
function ended(fault: Fault, striking: Promise<boolean>): Promise<boolean> {
  const late = delay(STRIKE_MS, undefined, { ref: false }).then(() => {
    throw new Error(`${fault} did not come to its end`);
  });
  return Promise.race([striking, late]);
}

function progress(users: readonly User[], problems: readonly string[]): string {
  const sent = users.map((user) => user.sent.length).join('+');
  return `${sent} prompts, ${users.reduce((sum, user) => sum + user.refused.length, 0)} refused, ${problems.length} problems`;
}

function oneAtATime(): Stage['alone'] {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const next = last.then(act, act);
    last = next;
    return next;
  };
}
