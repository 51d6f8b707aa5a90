/**
 * Kills session hosts while a real agent works, at chosen moments with random delays, and checks after each that the
 * model knows exactly what page, journal and export show (H12). One deck and one agent per run.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDeck } from '../deck.ts';
import { seeded } from '../fuzz/random.ts';
import { headlessPage } from './client.ts';
import { type KillScene, killOnce, type Seen } from './kill-scene.ts';
import {
  CODEX_MODEL,
  type KilledAgent,
  killScripts,
  type Moment,
  momentsOf,
  NOTE_FILES,
  NOTE_RULE,
} from './kill-scripts.ts';
import { begin } from './soak.ts';

export interface HostKillsOptions {
  readonly agent: KilledAgent;
  readonly seed: number;
  readonly kills: number;
  /** Ends earlier when this many minutes are over. */
  readonly minutes?: number;
  /** The moments to kill at; default: all of the agent's, in turn. */
  readonly moments?: readonly Moment[];
  /** Share of kills that also kill the watchdog, so that the agent keeps running until the next host ends it. */
  readonly unwatched?: number;
  /** Without a watchdog the agent has saved the rest of its answer before the next host ends it. */
  readonly finishes?: boolean;
  /** Which process is killed; after a kill of the agent its host keeps running. */
  readonly victim?: 'host' | 'agent';
  /** Kills when the page shows the moment, and lets the model continue when the agent has ended. */
  readonly isSteady?: boolean;
  /** A real browser shows the session as well, and is judged. */
  readonly inBrowser?: boolean;
  readonly log?: (words: string) => void;
}

export interface HostKillsOutcome {
  readonly agent: KilledAgent;
  readonly kills: Readonly<Partial<Record<Moment, number>>>;
  /** Kills that included the watchdog. */
  readonly unwatched: number;
  /** Entries that the next host completed or added from the agent's file. */
  readonly recovered: number;
  /** Sorted times from the kill of a host alone until its agent's processes were gone. */
  readonly endedMs: readonly number[];
  /** The longest time from a prompt to its moment. */
  readonly slowestMs: number;
  readonly problems: readonly string[];
  readonly orphans: number;
}

const TIMINGS = { restartMs: 20, restartWindowMs: 1, startTimeoutMs: 60_000, hostStartMs: 60_000 };
/** Kills of one session; each is judged over the whole conversation. */
const PER_SESSION = 8;
const UNWATCHED = 0.3;

export async function hostKills(options: HostKillsOptions): Promise<HostKillsOutcome> {
  const { agent, kills, seed, unwatched = UNWATCHED, log = () => undefined } = options;
  const { minutes = Number.POSITIVE_INFINITY } = options;
  const endsAt = performance.now() + minutes * 60_000;
  const { moments = momentsOf(agent), finishes = false, victim = 'host' } = options;
  const { inBrowser = false, isSteady = false } = options;
  const random = seeded(seed);
  const deck = await openDeck({
    timings: TIMINGS,
    files: NOTE_FILES,
    ...(agent === 'claude' ? {} : { agent }),
    ...(agent === 'codex' ? { config: { agents: { codex: { model: CODEX_MODEL } } } } : {}),
    async prepare({ home }) {
      await mkdir(join(home, '.claude'), { recursive: true });
      const settings = { permissions: { allow: [NOTE_RULE] } };
      await writeFile(join(home, '.claude', 'settings.json'), JSON.stringify(settings));
      return async () => undefined;
    },
  });
  try {
    for (const [keyword, script] of Object.entries(killScripts(agent))) deck.fake.script(keyword, script);
    const page = await headlessPage(deck);
    const browser = inBrowser ? (await deck.page()).page : undefined;
    const counts: Partial<Record<Moment, number>> = {};
    const seen: Seen[] = [];
    const problems: string[] = [];
    let scene: KillScene | undefined;
    for (let number = 0; number < kills && performance.now() < endsAt; number++) {
      if (!scene || number % PER_SESSION === 0) {
        const session = await begin(page, agent);
        const channel = page.client.conversation(session);
        await browser?.goto(new URL(`/#/session/${session}`, browser.url()).href);
        scene = { deck, agent, random, unwatched, finishes, isSteady, session, channel, victim, browser };
      }
      const moment = moments[number % moments.length] ?? 'text';
      const one = await killOnce(scene, moment, number).catch(
        (error: unknown): Seen => ({ problems: [String(error)], recovered: 0, reachedMs: 0 }),
      );
      seen.push(one);
      counts[moment] = (counts[moment] ?? 0) + 1;
      for (const words of one.problems) {
        problems.push(`${agent} ${moment} ${number}: ${words}`);
        log(`VIOLATED ${problems.at(-1)}`);
      }
      // A problem would be found again after every later kill of the session.
      if (one.problems.length > 0) scene = undefined;
      if ((number + 1) % 10 === 0) log(`${agent}: ${number + 1} kills, ${problems.length} problems`);
    }
    page.close();
    const stopped = await deck.run('stop', '--all');
    if (stopped.code !== 0) problems.push(`stop --all: ${stopped.stderr}`);
    const endedMs = seen.flatMap((one) => one.endedMs ?? []).sort((a, b) => a - b);
    return {
      agent,
      kills: counts,
      unwatched: seen.length - endedMs.length,
      recovered: seen.reduce((sum, one) => sum + one.recovered, 0),
      endedMs,
      slowestMs: Math.max(0, ...seen.map(({ reachedMs }) => reachedMs)),
      problems,
      orphans: deck.sandbox.strays().length,
    };
  } finally {
    await deck.close();
  }
}
