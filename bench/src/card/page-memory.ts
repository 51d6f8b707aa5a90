import type { Page } from 'playwright-core';

export interface PageMemory {
  readonly heapMB: number;
  readonly nodes: number;
}

/** What is under way when it is looked at (a copy for the store, half an answer) is not what the page holds: the least counts. */
const LOOKS = 5;

/** What the page holds after the garbage is gone: JavaScript heap, and nodes in the document. */
export async function pageMemory(page: Page): Promise<PageMemory> {
  const session = await page.context().newCDPSession(page);
  try {
    await session.send('HeapProfiler.enable');
    let usedSize = Number.POSITIVE_INFINITY;
    for (let look = 0; look < LOOKS; look += 1) {
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
