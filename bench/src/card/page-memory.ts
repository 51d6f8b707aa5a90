import type { Page } from 'playwright-core';

export interface PageMemory {
  readonly heapMB: number;
  readonly nodes: number;
}

/** What the page holds after the garbage is gone: JavaScript heap, and nodes in the document. */
export async function pageMemory(page: Page): Promise<PageMemory> {
  const session = await page.context().newCDPSession(page);
  try {
    await session.send('HeapProfiler.enable');
    for (let round = 0; round < 3; round += 1) await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
    return { heapMB: usedSize / 2 ** 20, nodes };
  } finally {
    await session.detach();
  }
}
