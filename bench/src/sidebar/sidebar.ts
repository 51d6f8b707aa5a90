/**
 * The sidebar by the number of sessions: main-thread time per wheel step and late frames with 10,000 compared with
 * 100, and switching between two open conversations with 1,000 in the list. Chromium with software rendering.
 */
import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { openStore } from '@tugdeck/store/store';
import type { Page } from 'playwright-core';
import { pageMemory } from '../card/page-memory.ts';
import { installProbe } from '../kit/page-probe.ts';
import { Product } from '../kit/product.ts';
import { type Benchmark, judge, machineLoad, Samples } from '../kit/result.ts';
import { LAST, writeConversation } from '../open/long-conversation.ts';
import { LoopBlocks } from '../reader/loop-blocks.ts';

const AGENT = 'claude';
const FEW = 100;
const MANY = 10_000;
const SWITCHED_AMONG = 1_000;
const WHEELS = 60;
const WHEEL_PX = 100;
/** Down and up again, within the length of the short list. */
const SPAN = 15;

interface LongDeck {
  readonly loop: LoopBlocks;
  readonly product: Product;
  /** The two newest sessions, which have messages. */
  readonly sessions: readonly [string, string];
}

async function longDeck(count: number): Promise<LongDeck> {
  const product = await Product.prepare();
  const store = openStore(product.data.database);
  const project = randomUUID();
  const path = realpathSync(product.sandbox.project);
  const now = Date.now();
  store.projects.insert({ id: project, path, name: 'Project', addedAt: now });
  const add = (index: number): string => {
    const id = randomUUID();
    store.sessions.insert({ id, project, agent: AGENT, createdAt: now - index * 60_000 });
    store.sessions.rename(id, `Session ${index} of the long list`);
    return id;
  };
  const sessions: [string, string] = [add(0), add(1)];
  for (const id of sessions) writeConversation(product.data.session(id), { entries: 200, perTurn: 10 });
  for (let index = 2; index < count; index++) add(index);
  store.close();
  const loop = new LoopBlocks(product);
  await product.start(loop.environment);
  return { product, sessions, loop };
}

/** Main-thread milliseconds per wheel step, and the share of late frames. */
async function timeScrolling(page: Page): Promise<{ perWheel: number; late: number }> {
  const metrics = await page.context().newCDPSession(page);
  // CPU time of the main thread, so a busy machine does not count.
  await metrics.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async () => {
    const { metrics: all } = await metrics.send('Performance.getMetrics');
    return (all.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
  };
  await page.locator('.sidebar-list').hover();
  await page.evaluate(() => {
    const frames: number[] = [];
    const record = (at: number) => {
      frames.push(at);
      requestAnimationFrame(record);
    };
    requestAnimationFrame(record);
    Object.assign(window, { scrolledFrames: frames });
  });
  const before = await busy();
  for (let wheel = 0; wheel < WHEELS; wheel++) {
    const isDown = Math.floor(wheel / SPAN) % 2 === 0;
    await page.mouse.wheel(0, isDown ? WHEEL_PX : -WHEEL_PX);
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)));
  }
  const perWheel = ((await busy()) - before) / WHEELS;
  const late = await page.evaluate(() => {
    const frames = (window as unknown as { scrolledFrames: number[] }).scrolledFrames;
    const gaps = frames.slice(1).map((at, index) => at - (frames[index] ?? at));
    return gaps.filter((gap) => gap > 25).length / Math.max(1, gaps.length);
  });
  await metrics.detach();
  return { perWheel, late };
}

/** From the click in the sidebar to the frame that shows the end of the other conversation. */
function timeSwitch(page: Page, session: string): Promise<number> {
  return page.evaluate(
    async ({ id, last }) => {
      const started = performance.now();
      document.querySelector<HTMLElement>(`a[href$="${id}"]`)?.click();
      await window.probe.until(`li[data-active="true"] a[href$="${id}"]`);
      const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
      const isVisible = () =>
        [...document.querySelectorAll(`[data-entry-id="${last}"]`)].some((entry) =>
          entry.checkVisibility({ visibilityProperty: true }),
        );
      while (!isVisible()) await frame();
      await frame();
      return performance.now() - started;
    },
    { id: session, last: LAST },
  );
}

export const sidebar: Benchmark = {
  name: 'sidebar',
  async run({ rounds, log }) {
    const load = machineLoad();
    const samples = new Samples();
    for (const count of [FEW, MANY, SWITCHED_AMONG]) {
      const { product, sessions, loop } = await longDeck(count);
      const started = Date.now();
      try {
        const { page, close } = await product.page(installProbe, sessions[0]);
        await page.locator(`[data-entry-id="${LAST}"]`).first().waitFor();
        // A long list arrives in parts.
        await page.locator(`.session[aria-setsize="${count}"]`).first().waitFor();
        for (let round = 0; round < rounds; round++) {
          const { perWheel, late } = await timeScrolling(page);
          samples.add(`scroll, ${count} sessions`, 'ms per wheel step', perWheel);
          samples.add(`late frames, ${count} sessions`, 'share', late);
        }
        const { nodes, heapMB } = await pageMemory(page);
        samples.add(`nodes, ${count} sessions`, 'nodes', nodes);
        samples.add(`heap, ${count} sessions`, 'MB', heapMB);
        if (count === SWITCHED_AMONG) {
          await page.locator('.sidebar-list').evaluate((list) => list.scrollTo(0, 0));
          // The first switch opens them.
          for (const session of sessions) await timeSwitch(page, session);
          for (let round = 0; round < rounds * 4; round++) {
            const ms = await timeSwitch(page, sessions[round % 2] ?? '');
            samples.add(`switch among ${count} sessions`, 'ms', ms);
          }
        }
        await close();
        const { blocked } = loop.longest(started, Date.now());
        samples.add(`longest block of the server's event loop, ${count} sessions`, 'ms', blocked);
        log(`${count} sessions`);
      } finally {
        await product.close();
      }
    }
    const against = (what: string) =>
      samples.median(`${what}, ${MANY} sessions`) / samples.median(`${what}, ${FEW} sessions`);
    return {
      name: 'sidebar',
      about: 'a sidebar of 10,000 sessions against one of 100; switching between open sessions',
      series: samples.series(),
      judgements: [
        judge('scrolling 10,000 sessions against 100', against('scroll'), 1.3),
        judge('nodes with 10,000 sessions against 100', against('nodes'), 1.1),
        judge(
          'switch among 1,000 sessions, ms',
          samples.median(`switch among ${SWITCHED_AMONG} sessions`),
          50,
        ),
      ],
      load,
      rounds,
    };
  },
};
