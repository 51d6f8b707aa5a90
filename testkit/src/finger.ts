/** A finger on a page, as the browser's own touch events, so that the browser decides what scrolls. */
import type { Locator, Page } from 'playwright-core';

/** Returns a swipe from the upper to the lower edge of the scroller, which scrolls its content up by that much. */
export async function fingerOn(page: Page, scroller: Locator): Promise<() => Promise<void>> {
  const link = await page.context().newCDPSession(page);
  const box = await scroller.boundingBox();
  if (!box) throw new Error('nothing to touch');
  const x = box.x + box.width / 2;
  const y = (part: number) => box.y + 20 + (box.height - 40) * part;
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...parts: number[]) =>
    link.send('Input.dispatchTouchEvent', { type, touchPoints: parts.map((part) => ({ x, y: y(part) })) });
  // Sent at once: the browser takes them one after the other.
  return async () => {
    const begun = touch('touchStart', 0);
    const moves = [0.1, 0.5, 1].map((part) => touch('touchMove', part));
    await Promise.all([begun, ...moves, touch('touchEnd')]);
  };
}
