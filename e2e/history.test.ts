// A history of 100,000 entries from the server, with wheel, keys and finger: the top is reached without stopping at a page, and a
// reload keeps the place. Minutes long, so only in the full tier; packages/web/test/history.browser.test.ts has 3,000.
import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { writeConversation } from '@tugdeck/bench/open/long-conversation';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { openStore } from '@tugdeck/store/store';
import { closeBrowser } from '@tugdeck/testkit/browser';
import { flickOn } from '@tugdeck/testkit/finger';
import { frames, still } from '@tugdeck/testkit/frames';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deck, openDeck } from './deck.ts';

const isFull = process.env.TUGDECK_TEST_FULL === '1';
const testFull = test.skipIf(!isFull);
/** A finger moves by the height of the list: in a low one it would need thousands of moves. */
const TALL = 2_400;
const ENTRIES = 100_000;
const LONG_MS = 30 * 60_000;
/** Without older entries for this long, loading has stalled. */
const STALLED_MS = 30_000;

const session = randomUUID();
let deck: Deck;

beforeAll(async () => {
  if (!isFull) return;
  deck = await openDeck({
    withoutAgent: true,
    prepare: async (sandbox) => {
      const data = dataDirectory(sandbox.data);
      const project = randomUUID();
      const store = openStore(data.database);
      store.projects.insert({
        id: project,
        path: realpathSync(sandbox.project),
        name: 'Project',
        addedAt: Date.now(),
      });
      store.sessions.insert({ id: session, project, agent: 'claude', createdAt: Date.now() });
      store.close();
      writeConversation(data.session(session), { entries: ENTRIES, perTurn: 10 });
      return async () => undefined;
    },
  });
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

const log = (page: Page) => page.getByRole('log', { name: 'Conversation' });

async function openLong(): Promise<Page> {
  const { page } = await deck.page();
  await page.evaluate(() => {
    const tasks: number[] = [];
    Object.assign(window, { tasks });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration);
    }).observe({ type: 'longtask', buffered: true });
  });
  await page.goto(new URL(`/#/session/${session}`, page.url()).href);
  await log(page).locator('[data-entry-id=the-last-entry]').waitFor();
  await log(page).hover();
  await page.mouse.wheel(0, -2_000);
  return page;
}

/** The number of the first row in view, and how far it is cut by the upper edge. */
const firstRow = (page: Page) =>
  log(page).evaluate((node) => {
    const edge = node.getBoundingClientRect().top;
    const rows = [...node.querySelectorAll<HTMLElement>('article')];
    const first = rows.find((row) => row.getBoundingClientRect().bottom > edge);
    const cut = Math.round(edge - (first?.getBoundingClientRect().top ?? 0));
    return {
      at: Number(/\d+$/.exec(first?.dataset.entryId ?? '')?.[0] ?? Number.NaN),
      cut,
      top: node.scrollTop,
    };
  });

/** Memory of the page and its longest task. */
const figures = (page: Page) =>
  page.evaluate(() => {
    const { memory } = performance as Performance & { memory?: { usedJSHeapSize: number } };
    const { tasks = [] } = window as { tasks?: number[] };
    const megabytes = Math.round((memory?.usedJSHeapSize ?? 0) / 1e6);
    return `${megabytes} MB, longest task ${Math.round(Math.max(0, ...tasks))} ms`;
  });

async function reachTop(page: Page, step: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  let best = ENTRIES;
  let bestAt = started;
  for (;;) {
    const { at, top } = await firstRow(page);
    if (at === 0 && top <= 12) return performance.now() - started;
    if (at < best) {
      best = at;
      bestAt = performance.now();
    }
    if (performance.now() - bestAt > STALLED_MS)
      throw new Error(`stopped at entry ${at}, ${top} px below the top`);
    await step();
    await frames(page, 1);
  }
}

testFull(
  'C11 C17 D5 100,000 entries: the scrollbar reaches the top, and a reload anywhere keeps the place',
  async () => {
    const page = await openLong();
    const ms = await reachTop(page, () => log(page).evaluate((node) => node.scrollTo(0, 0)));
    console.info(`scrollbar: the top after ${Math.round(ms / 1_000)} s`);
    for (const part of [0, 0.5, 0.9]) {
      await log(page).evaluate((node, by) => node.scrollTo(0, by * node.scrollHeight), part);
      const before = await still(page, () => firstRow(page));
      const started = performance.now();
      await page.reload();
      // Rows are hidden while the place is looked for.
      await page.locator('[data-seeking=false] article').first().waitFor({ timeout: 600_000 });
      console.info(`reload at entry ${before.at}: ${Math.round((performance.now() - started) / 1_000)} s`);
      const after = await still(page, () => firstRow(page));
      expect({ part, at: after.at }).toEqual({ part, at: before.at });
      expect(Math.abs(after.cut - before.cut)).toBeLessThanOrEqual(2);
    }
    await page.close();
  },
  LONG_MS,
);

type ScrollInput = (page: Page) => Promise<() => Promise<unknown>>;

const INPUTS: Readonly<Record<string, ScrollInput>> = {
  'the wheel': async (page) => () => page.mouse.wheel(0, -20_000),
  'PageUp and Home': async (page) => async () => {
    await log(page).press('PageUp');
    await log(page).press('Home');
  },
  'a finger': async (page) => flickOn(page, log(page)),
};

for (const [name, input] of Object.entries(INPUTS))
  testFull(
    `C11 C17 100,000 entries: ${name} reaches the top without stopping at a page`,
    async () => {
      const page = await openLong();
      await page.setViewportSize({ width: 1280, height: TALL });
      const ms = await reachTop(page, await input(page));
      console.info(`${name}: the top after ${Math.round(ms / 1_000)} s, ${await figures(page)}`);
      await page.close();
    },
    LONG_MS,
  );
