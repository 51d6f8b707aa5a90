/**
 * A scrollbar under a real mouse: the browser decides what a drag of its thumb scrolls. Needs a browser that draws scrollbars
 * (`launchBrowser`).
 */
import type { Locator, Page } from 'playwright-core';

/** Of the browser's scrollbars: the arrows at both ends, and the shortest thumb. */
const ARROW = 14;
const MIN_THUMB = 17;

/** Returns a drag of the thumb to the upper end. */
export function scrollbarOn(page: Page, scroller: Locator): () => Promise<void> {
  return async () => {
    const { x, y, top } = await scroller.evaluate(
      (node, [arrow, minThumb]) => {
        const { right, top, height } = node.getBoundingClientRect();
        const width = (node as HTMLElement).offsetWidth - node.clientWidth - node.clientLeft;
        const track = height - 2 * arrow;
        const thumb = Math.max(minThumb, (track * node.clientHeight) / node.scrollHeight);
        const part = node.scrollTop / (node.scrollHeight - node.clientHeight);
        return { x: right - width / 2, y: top + arrow + (track - thumb) * part + thumb / 2, top };
      },
      [ARROW, MIN_THUMB] as const,
    );
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, top, { steps: 4 });
    await page.mouse.up();
  };
}
