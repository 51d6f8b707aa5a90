// Waits for page changes without an event to wait for: some frames, or a value that has stopped changing. Wheel
// scrolling, measured rows and theme changes have no such event, and a single read would see an intermediate
// state.
import type { Page } from 'playwright-core';

export const frames = (page: Page, count = 3): Promise<void> =>
  page.evaluate(async (left) => {
    for (let index = 0; index < left; index++) await new Promise((done) => requestAnimationFrame(done));
  }, count);

/** Reads a value until it is the same as some frames before. */
export async function still<T>(page: Page, read: () => Promise<T>): Promise<T> {
  let last = await read();
  for (;;) {
    await frames(page, 12);
    const now = await read();
    if (JSON.stringify(now) === JSON.stringify(last)) return now;
    last = now;
  }
}
