/**
 * A seeded campaign of faults against the real product (issue of proof): sessions at work, headless pages looking on,
 * and something breaking all the time. Ends with the judgement; a failing seed repeats the schedule.
 */
import { randomUUID } from 'node:crypto';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { text } from '@tugdeck/testkit/script';
import { openDeck } from '../deck.ts';
import { seeded } from '../fuzz/random.ts';
import { headlessPage } from './client.ts';
import { chooseFault, type Fault, strike } from './faults.ts';
import { answerTo, judge } from './judge.ts';
import { User } from './user.ts';

export interface CampaignOptions {
  readonly seed: number;
  readonly sessions: number;
  readonly faults: number;
  readonly tell?: (words: string) => void;
}

export interface Outcome {
  readonly faults: Readonly<Record<Fault, number>>;
  readonly prompts: number;
  readonly problems: readonly string[];
  readonly orphans: number;
}

const PAUSE_MS = 120;
const PAGES = 2;

export async function campaign({
  seed,
  sessions,
  faults,
  tell = () => undefined,
}: CampaignOptions): Promise<Outcome> {
  const random = seeded(seed);
  const deck = await openDeck({
    timings: {
      restartMs: 20,
      restartWindowMs: 1,
      reconnectMs: [20, 50, 100],
      startRetryMs: [100, 500, 1_000],
    },
  });
  const struck = {} as Record<Fault, number>;
  const problems: string[] = [];
  let prompts = 0;
  let orphans = 0;
  try {
    deck.fake.script('campaign', ({ userText }) => [
      text(answerTo(lastPrompt(userText)), { chunk: 80, delayMs: 5 }),
    ]);
    const pages = await Promise.all(Array.from({ length: PAGES }, () => headlessPage(deck)));
    const [first] = pages;
    if (!first) throw new Error('no page');
    const project = await waitFor(() => first.client.deck.get()?.projects[0]?.id, { what: 'the project' });
    const users: User[] = [];
    for (let at = 0; at < sessions; at++) {
      const session = randomUUID();
      await first.client.request({ type: 'session.create', session, project, agent: 'claude' });
      for (const { client } of pages.slice(1)) client.conversation(session);
      users.push(new User(first.client.conversation(session)));
    }
    const working = users.map((user) => user.work().catch((error: unknown) => problems.push(String(error))));
    for (let count = 0; count < faults; ) {
      const fault = chooseFault(random);
      if (await strike(fault, { deck, pages, random, frozenMs: 50 + random() * 250 })) {
        struck[fault] = (struck[fault] ?? 0) + 1;
        count += 1;
        if (count % 50 === 0)
          tell(`${count} faults, ${users.reduce((sum, user) => sum + user.sent.length, 0)} prompts`);
      }
      await new Promise((resolve) => setTimeout(resolve, random() * PAUSE_MS));
    }
    for (const user of users) user.stop();
    await Promise.all(working);
    prompts = users.reduce((sum, user) => sum + user.sent.length, 0);
    // Pages that were just cut come back first.
    await waitFor(() => judge(deck, users, pages).length === 0, {
      what: 'agreement',
      timeoutMs: 15_000,
    }).catch(() => problems.push(...judge(deck, users, pages)));
    for (const page of pages) page.close();
    await deck.run('stop', '--all');
    orphans = deck.sandbox.strays().length;
  } finally {
    await deck.close();
  }
  return { faults: struck, prompts, problems, orphans };
}

/** An agent may send earlier words along: the last prompt is the one to answer. */
function lastPrompt(words: string): string {
  return [...words.matchAll(/SCN:campaign \S+?\./g)].at(-1)?.[0] ?? '';
}
