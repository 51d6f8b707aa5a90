import type { Page } from 'playwright-core';

export interface PageMemory {
  readonly heapMB: number;
  readonly nodes: number;
}

/** A measurement can include temporary data (a copy for IndexedDB, half an answer), so the lowest one counts. */
const SAMPLES = 5;

/** Page memory after garbage collection: JavaScript heap and DOM nodes. */
export async function pageMemory(page: Page): Promise<PageMemory> {
  const session = await page.context().newCDPSession(page);
  try {
    await session.send('HeapProfiler.enable');
    let usedSize = Number.POSITIVE_INFINITY;
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      await session.send('HeapProfiler.collectGarbage');
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined))));
      usedSize = Math.min(usedSize, (await session.send('Runtime.getHeapUsage')).usedSize);
    }
    const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
    return { heapMB: usedSize / 2 ** 20, nodes };
  } finally {
    await session.detach();
  }
}
