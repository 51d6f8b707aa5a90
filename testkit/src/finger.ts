/** A finger on a page, as the browser's own touch events, so that the browser decides what scrolls. */
import type { Locator, Page } from 'playwright-core';

type Touch = (
  type: 'touchStart' | 'touchMove' | 'touchEnd',
  parts: readonly number[],
  timestamp?: number,
) => Promise<unknown>;

/** Touches the scroller at parts of its height. */
async function touchOn(page: Page, scroller: Locator): Promise<Touch> {
  const link = await page.context().newCDPSession(page);
  const box = await scroller.boundingBox();
  if (!box) throw new Error('nothing to touch');
  const x = box.x + box.width / 2;
  const y = (part: number) => box.y + 20 + (box.height - 40) * part;
  return (type, parts, timestamp) =>
    link.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: parts.map((part) => ({ x, y: y(part) })),
      ...(timestamp === undefined ? {} : { timestamp }),
    });
}

/** Returns a swipe from the upper to the lower edge of the scroller, which scrolls its content up by that much. */
export async function fingerOn(page: Page, scroller: Locator): Promise<() => Promise<void>> {
  const touch = await touchOn(page, scroller);
  // Sent at once: the browser takes them one after the other.
  return async () => {
    const begun = touch('touchStart', [0]);
    const moves = [0.1, 0.5, 1].map((part) => touch('touchMove', [part]));
    await Promise.all([begun, ...moves, touch('touchEnd', [])]);
  };
}

/**
 * Returns a flick: the finger leaves while it moves, and the content keeps scrolling; repeated flicks make it faster. Its
 * speed is in the events, so that it is the same on a busy machine.
 */
export async function flickOn(page: Page, scroller: Locator): Promise<() => Promise<void>> {
  const touch = await touchOn(page, scroller);
  return async () => {
    const at = Date.now() / 1_000;
    const begun = touch('touchStart', [0], at);
    const moves = [0.3, 0.6, 0.9].map((part) => touch('touchMove', [part], at + part / 40));
    await Promise.all([begun, ...moves, touch('touchEnd', [], at + 1 / 40)]);
  };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Returns a swipe from one point of the page to another. */
export async function swipeOn(page: Page): Promise<(from: Point, to: Point) => Promise<void>> {
  const link = await page.context().newCDPSession(page);
  return async (from, to) => {
    const at = Date.now() / 1_000;
    const touch = (type: string, part: number | undefined, timestamp: number) =>
      link.send('Input.dispatchTouchEvent', {
        type: type as 'touchStart',
        touchPoints:
          part === undefined
            ? []
            : [{ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }],
        timestamp,
      });
    await Promise.all([
      touch('touchStart', 0, at),
      ...[0.2, 0.6, 1].map((part) => touch('touchMove', part, at + part / 10)),
      touch('touchEnd', undefined, at + 0.12),
    ]);
  };
}
