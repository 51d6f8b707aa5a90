// Waiting for what a page draws without saying so: some frames, or a place that has stopped moving. A wheel that was turned,
// rows that are measured, a theme that changes have no end that could be awaited; a look in between sees neither before nor after.
import type { Page } from 'playwright-core';

export const frames = (page: Page, count = 3): Promise<void> =>
  page.evaluate(async (left) => {
    for (let index = 0; index < left; index++) await new Promise((done) => requestAnimationFrame(done));
  }, count);

/** What is read once it is the same as some frames before. */
export async function still<T>(page: Page, read: () => Promise<T>): Promise<T> {
  let last = await read();
  for (;;) {
    await frames(page, 12);
    const now = await read();
    if (JSON.stringify(now) === JSON.stringify(last)) return now;
    last = now;
  }
}
