/**
 * Many working sessions for a long time, without faults. Counts every host and agent that exited, plots memory and
 * descriptors, and ends with the same judge as a campaign.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { openDeck } from '../deck.ts';
import { below, seeded } from '../fuzz/random.ts';
import { type HeadlessPage, headlessPage } from './client.ts';
import { growing, type Sample, sample } from './curves.ts';
import { judgeAll } from './evidence.ts';
import { SCRIPTS } from './prompts.ts';
import { projectOn } from './terminal-user.ts';
import { User } from './user.ts';

export interface SoakOptions {
  readonly seed: number;
  readonly sessions: number;
  readonly hours: number;
  /** How many of them use the real agent, which needs much memory. */
  readonly real: number;
  /** Between two prompts of a session, at least and at most. */
  readonly pauseMs: readonly [number, number];
  readonly log?: (words: string) => void;
}

export interface SoakOutcome {
  readonly prompts: number;
  /** The longest time from an accepted prompt to its end. */
  readonly longestMs: number;
  readonly restarted: readonly string[];
  readonly problems: readonly string[];
  readonly orphans: number;
  readonly samples: readonly Sample[];
}

/** A page follows no more than 64 sessions. */
const PER_PAGE = 50;
const SAMPLE_MS = 20_000;
/** For an agent's start and for a turn: a hundred agents on two shared cores are slow, not wrong. */
const PATIENCE_MS = 900_000;

export async function soak(options: SoakOptions): Promise<SoakOutcome> {
  const { seed, sessions, hours, real, pauseMs, log = () => undefined } = options;
  const deck = await openDeck({
    config: { maxLiveHosts: Math.min(100, sessions), maxTurns: Math.min(100, sessions) },
    timings: { idleMs: 24 * 3_600_000 },
  });
  for (const [keyword, script] of Object.entries(SCRIPTS)) deck.fake.script(keyword, script);
  const pages: HeadlessPage[] = [];
  try {
    const users: User[] = [];
    for (let at = 0; at < sessions; at++) {
      if (at % PER_PAGE === 0) pages.push(await headlessPage(deck));
      const page = pages.at(-1);
      if (!page) throw new Error('no page');
      const cast = at < real ? 'claude' : 'demo';
      const random = seeded(seed + at);
      const [least, most] = pauseMs;
      const session = await begin(page, cast);
      const pause = () => least + below(random, most - least);
      const channel = page.client.conversation(session);
      // One start at a time: a real agent uses a core for seconds, and starts aren't measured.
      if (cast === 'claude') {
        channel.wake();
        await waitFor(() => channel.view.get().conversation.agent.state === 'connected', {
          what: `the agent of session ${at + 1} to start`,
          timeoutMs: PATIENCE_MS,
        });
        log(`${at + 1} of ${real} real agents started`);
      }
      const channels = [channel];
      const kinds = ['talk', 'talk', 'run'] as const;
      users.push(new User({ cast, channels, random, kinds, pauseMs: pause, restMs: PATIENCE_MS }));
    }
    const problems: string[] = [];
    const report = (words: string) => {
      problems.push(words);
      log(`PROBLEM: ${words}`);
    };
    const working = users.map((user) => user.work().catch((error: unknown) => report(String(error))));
    const seen = new Map<string, number>();
    const restarted = new Map<string, string>();
    const samples: Sample[] = [];
    const began = performance.now();
    while (performance.now() - began < hours * 3_600_000) {
      await delay(Math.min(SAMPLE_MS, Math.max(100, began + hours * 3_600_000 - performance.now())));
      for (const purpose of ['host', 'agent'] as const)
        for (const { id, identity, session } of deck.records(purpose)) {
          const before = seen.get(id);
          if (before !== undefined && before !== identity.pid)
            restarted.set(session ?? id, `${purpose} of ${session}`);
          seen.set(id, identity.pid);
        }
      samples.push(sample(deck, (performance.now() - began) / 1000));
      const prompts = users.reduce((sum, { sent }) => sum + sent.length, 0);
      log(
        `${samples.at(-1)?.at} s: ${prompts} prompts, ${seen.size} processes, ${restarted.size} restarted, ${samples.at(-1)?.total} MB, ${problems.length} problems`,
      );
    }
    for (const user of users) user.stop();
    await Promise.all(working);
    for (const user of users) problems.push(...user.refused);
    problems.push(...growing(samples));
    // Each page has its own share of sessions, and each share its judge.
    for (let at = 0; at * PER_PAGE < users.length; at++) {
      const some = users.slice(at * PER_PAGE, (at + 1) * PER_PAGE);
      const page = pages[at];
      problems.push(...(await judgeAll({ deck, users: some, pages: page ? [page] : [] })));
    }
    for (const page of pages) page.close();
    await deck.run('stop', '--all');
    return {
      prompts: users.reduce((sum, { sent }) => sum + sent.length, 0),
      longestMs: Math.max(...users.map((user) => user.longestMs)),
      restarted: [...restarted.values()],
      problems,
      orphans: deck.sandbox.strays().length,
      samples,
    };
  } finally {
    for (const page of pages) page.close();
    await deck.close();
  }
}

/** `machine`: the name of another one. */
export async function begin({ client }: HeadlessPage, agent: string, machine?: string): Promise<string> {
  const project = await projectOn(client, machine);
  const session = randomUUID();
  await client.request({ type: 'session.create', session, project, agent });
  return session;
}
