/** A long history under a real drag of the scrollbar, in a browser that draws one. */
import { launchBrowser } from '@tugdeck/testkit/browser';
import { frames } from '@tugdeck/testkit/frames';
import { scrollbarOn } from '@tugdeck/testkit/scrollbar';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { beforeAll, expect, test } from 'vitest';
import { shareGallery } from './gallery/share-gallery.ts';

const ENTRIES = 3_000;
/** The top is many drags away: needing more than this means scrolling has stopped. */
const MAX_DRAGS = 400;

beforeAll(async () => {
  if (isFullTier) await launchBrowser({ scrollbars: true });
});
const gallery = shareGallery({ patience: 120_000 });

test.skipIf(!isFullTier)(
  `C11 ${ENTRIES} entries: drags of the scrollbar reach the top without stopping at a page`,
  async () => {
    const page = await gallery.open('rest');
    await page.goto(`${gallery.url}?entries=${ENTRIES}#/session/long`);
    const log = page.getByRole('log', { name: 'Conversation' });
    await log.locator(`[data-entry-id=e${ENTRIES - 1}]`).waitFor();
    await page.evaluate(() => window.allParts);
    const place = () =>
      log.evaluate((node) => ({
        top: node.scrollTop,
        first: node.querySelector('article')?.dataset.entryId,
      }));
    const drag = scrollbarOn(page, log);
    const before = await place();
    await drag();
    await expect.poll(async () => (await place()).top).toBeLessThan(before.top);
    let drags = 1;
    for (let at = await place(); at.first !== 'e0' || at.top > 12; at = await place()) {
      expect({ drags, at, isStalled: drags >= MAX_DRAGS }).toMatchObject({ isStalled: false });
      await drag();
      await frames(page, 2);
      drags += 1;
    }
    console.info(`${drags} drags`);
  },
  600_000,
);
