/**
 * Home by the number of sessions: main-thread time per second with 1,000 sessions, of which 50 work, compared with 20
 * that all work; and how soon Home is drawn from the cache after a reload, compared with a conversation. The rows of
 * working sessions come from a script in the page, two changes a second each, because 50 agents would load the machine
 * that is measured. Chromium with software rendering.
 */
import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Summary } from '@tugdeck/protocol/conversation/summarize';
import { FEED } from '@tugdeck/protocol/wire/frames';
import { openStore } from '@tugdeck/store/store';
import type { Page } from 'playwright-core';
import { online, Product } from '../kit/product.ts';
import { type Benchmark, judge, machineLoad, Samples } from '../kit/result.ts';
import { LAST, writeConversation } from '../open/long-conversation.ts';
import { feedRows, installHomeProbe } from './home-page.ts';

const FEW = { count: 20, working: 20 };
const MANY = { count: 1_000, working: 50 };
const CHANGES_PER_SECOND = 2;
const MEASURED_MS = 10_000;
const SETTLE_MS = 3_000;
/** Between the last messages of two sessions. */
const APART_MS = 10 * 60_000;

const nameOf = ({ count, working }: typeof FEW) => `${count} sessions, ${working} working`;

async function deckOf(count: number): Promise<{ product: Product; project: string; sessions: string[] }> {
  const product = await Product.prepare();
  const store = openStore(product.data.database);
  const project = randomUUID();
  const now = Date.now();
  store.projects.insert({
    ...{ id: project, name: 'Project', addedAt: now },
    path: realpathSync(product.sandbox.project),
  });
  const sessions = Array.from({ length: count }, (_, index) => {
    const id = randomUUID();
    store.sessions.insert({ id, project, agent: 'claude', createdAt: now - index * 60_000 });
    store.sessions.rename(id, `Session ${index} of the board`);
    const changedAt = now - index * APART_MS;
    const summary: Summary = {
      ...{ v: 10, waiting: 0, entries: 10, changedAt, activity: 'All tests pass.' },
      agentState: 'idle',
      turn: 'idle',
      lastTurn: 'completed',
    };
    store.sessions.summarize(id, summary, changedAt);
    store.sessions.markSeen(id, summary.entries);
    return id;
  });
  writeConversation(product.data.session(sessions[0] ?? ''), { entries: 200, perTurn: 10 });
  store.close();
  await product.start();
  return { product, project, sessions };
}

/** Main-thread milliseconds per second, as CPU time: a busy machine does not count. */
async function busyPerSecond(page: Page): Promise<number> {
  const metrics = await page.context().newCDPSession(page);
  await metrics.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async () => {
    const { metrics: all } = await metrics.send('Performance.getMetrics');
    return (all.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
  };
  const [since, before] = [performance.now(), await read()];
  await pause(MEASURED_MS);
  const busy = (await read()) - before;
  const seconds = (performance.now() - since) / 1_000;
  await metrics.detach();
  return busy / seconds;
}

/** Milliseconds from the start of a reload to the first element with this selector. */
async function timeReload(page: Page, hash: string, selector: string): Promise<number> {
  await page.evaluate((next) => {
    location.hash = next;
  }, hash);
  await page.locator(selector).first().waitFor();
  await online(page);
  await page.reload();
  await page.locator(selector).first().waitFor();
  const at = await page.evaluate((wanted) => window.firstAt[wanted], selector);
  await online(page);
  return at ?? Number.NaN;
}

export const home: Benchmark = {
  name: 'home',
  async run({ rounds, log }) {
    const load = machineLoad();
    const samples = new Samples();
    for (const size of [FEW, MANY]) {
      const { product, project, sessions } = await deckOf(size.count);
      try {
        const { page, close } = await product.page(installHomeProbe, sessions[0]);
        await page.locator(`[data-entry-id="${LAST}"]`).first().waitFor();
        for (let round = 0; size === MANY && round < rounds; round++) {
          const ofHome = await timeReload(page, '#/home', '.home-scroll [data-session]');
          const ofConversation = await timeReload(page, `#/session/${sessions[0]}`, 'article[data-entry-id]');
          samples.add('Home drawn after a reload', 'ms', ofHome);
          samples.add('conversation drawn after a reload', 'ms', ofConversation);
        }
        await page.evaluate(() => {
          location.hash = '#/home';
        });
        await page.evaluate(feedRows, {
          ...{ project, feed: FEED.deck, everyMs: 1_000 / CHANGES_PER_SECOND },
          sessions: sessions.slice(0, size.working),
        });
        const column = page.locator('.board-column[data-column="working"] .board-caps');
        await column.filter({ hasText: String(size.working) }).waitFor();
        await pause(SETTLE_MS);
        for (let round = 0; round < rounds; round++)
          samples.add(nameOf(size), 'ms of main thread per second', await busyPerSecond(page));
        log(`${nameOf(size)}: ${samples.median(nameOf(size)).toFixed(1)} ms per second`);
        await close();
      } finally {
        await product.close();
      }
    }
    const many = samples.median(nameOf(MANY));
    return {
      name: 'home',
      about: 'Home with 1,000 sessions against 20, while agents work; drawn after a reload',
      series: samples.series(),
      judgements: [
        judge('Home with 1,000 sessions, 50 working, against 20', many / samples.median(nameOf(FEW)), 1.5),
        judge('Home with 1,000 sessions, 50 working, % of a core', many / 10, 5),
        judge(
          'Home against a conversation, from the cache',
          samples.median('Home drawn after a reload') / samples.median('conversation drawn after a reload'),
          1.2,
        ),
      ],
      load,
      rounds,
    };
  },
};
