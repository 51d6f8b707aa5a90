// Waits for page changes without an event to wait for: some frames, or a value that has stopped changing. Wheel
// scrolling, measured rows and theme changes have no such event, and a single read would see an intermediate
// state.
import type { Locator, Page } from 'playwright-core';

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

/**
 * Waits until an element has kept its place for some frames and takes the pointer. A click on one that moves between
 * press and release is lost. Counts the browser's own frames, so that it also works while the page's clock stands still.
 */
export const atRest = (target: Locator): Promise<void> =>
  target.evaluate(async (node) => {
    const frame = () =>
      new Promise<void>((done) => {
        const observer = new IntersectionObserver(() => {
          observer.disconnect();
          done();
        });
        observer.observe(document.documentElement);
      });
    const check = () => {
      const { x, y, width, height } = node.getBoundingClientRect();
      return `${x} ${y} ${width} ${height} ${getComputedStyle(node).pointerEvents}`;
    };
    let before = '';
    for (let same = 0; same < 12; ) {
      await frame();
      const now = check();
      same = now === before && !now.endsWith('none') ? same + 1 : 0;
      before = now;
    }
  });

/**
 * Clicks an element that has stopped moving. If the page moves it between press and release, the click goes elsewhere;
 * then the element is clicked again, as a person would do.
 */
export async function press(target: Locator): Promise<void> {
  for (;;) {
    await atRest(target);
    const press = await target.evaluateHandle((node) => {
      const press = { node, arrived: false };
      const onClick = (event: Event) => {
        if (event.composedPath().includes(node)) press.arrived = true;
      };
      window.addEventListener('click', onClick, { capture: true, once: true });
      return press;
    });
    await target.click();
    // If the click closed the page or removed the element, it arrived.
    const isLost = await press
      .evaluate(({ node, arrived }) => !arrived && node.isConnected)
      .catch(() => false);
    await press.dispose().catch(() => undefined);
    if (!isLost) return;
    const place = await target.boundingBox();
    console.log(`A click was lost, because the page moved under the pointer: ${target}, now at`, place);
  }
}
