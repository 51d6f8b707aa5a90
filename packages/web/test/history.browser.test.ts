/**
 * Long histories with wheel and touch, over the gallery: older pages load by themselves, and a reload keeps the
 * position.
 */
import { fingerOn } from '@tugdeck/testkit/finger';
import { frames, still } from '@tugdeck/testkit/frames';
import { isFullTier } from '@tugdeck/testkit/tiers';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { shareGallery } from './gallery/share-gallery.ts';

const ENTRIES = isFullTier ? 3_000 : 1_500;
/** The top is many screens away: needing more steps than this means scrolling has stopped. */
const MAX_TURNS = 400;
const testFull = test.skipIf(!isFullTier);
const gallery = shareGallery();
const log = (page: Page) => page.getByRole('log', { name: 'Conversation' });

async function openLong(): Promise<Page> {
  const page = await gallery.open('rest');
  await page.goto(`${gallery.url}?entries=${ENTRIES}#/session/long`);
  await log(page)
    .locator(`[data-entry-id=e${ENTRIES - 1}]`)
    .waitFor();
  await page.evaluate(() => window.allParts);
  await log(page).hover();
  return page;
}

/** The first row in view, how far it is cut by the upper edge, and whether it is the beginning. */
const firstRow = (page: Page) =>
  log(page).evaluate((node) => {
    const edge = node.getBoundingClientRect().top;
    const rows = [...node.querySelectorAll<HTMLElement>('article')];
    const first = rows.find((row) => row.getBoundingClientRect().bottom > edge);
    const box = first?.getBoundingClientRect();
    const at = Number(first?.dataset.entryId?.slice(1));
    return { at, cut: Math.round(edge - (box?.top ?? 0)), isAtTop: at === 0 && node.scrollTop <= 12 };
  });
async function reachTop(page: Page, step: () => Promise<unknown>): Promise<void> {
  for (let turns = 0; turns < MAX_TURNS; turns += 1) {
    if ((await firstRow(page)).isAtTop) return;
    await step();
    await frames(page, 2);
  }
  expect((await firstRow(page)).at).toBe(0);
}

const wheel = (page: Page) => page.mouse.wheel(0, -20_000);

type ScrollInput = (page: Page) => () => Promise<unknown>;

const KEYS: ScrollInput = (page) => async () => {
  await log(page).press('PageUp');
  await log(page).press('Home');
};
const SCROLLBAR: ScrollInput = (page) => () => log(page).evaluate((node) => node.scrollTo(0, 0));

async function reachTopBy(input: (page: Page) => Promise<() => Promise<unknown>>): Promise<void> {
  const page = await openLong();
  await page.setViewportSize({ width: 1280, height: 2_400 });
  await wheel(page);
  await reachTop(page, await input(page));
}

test(
  `C11 ${ENTRIES} entries: a finger reaches the top without stopping at a page`,
  () => reachTopBy((page) => fingerOn(page, log(page))),
  600_000,
);

for (const [name, input] of Object.entries({ 'PageUp and Home': KEYS, 'the scrollbar': SCROLLBAR }))
  testFull(`C11 ${ENTRIES} entries: ${name} reaches the top without stopping at a page`, () =>
    reachTopBy(async (page) => input(page)),
  );

test('C11 loads older entries at the top without another scroll', async () => {
  const page = await openLong();
  const loaded = () => page.evaluate(() => window.gallery.host('long').loaded);
  // Continued scrolling overrides the position correction: it is at the top again and again.
  await page.mouse.wheel(0, -100);
  await page.evaluate(() => {
    const host = window.gallery.host('long');
    const node = document.querySelector('.entry-scroll');
    const pin = () => {
      if (!node || host.loaded >= 500) return;
      node.scrollTop = 0;
      requestAnimationFrame(pin);
    };
    pin();
  });
  await expect.poll(loaded).toBeGreaterThanOrEqual(500);
});

test(`C11 D5 ${ENTRIES} entries: the wheel reaches the top, and a reload keeps the position`, async () => {
  const page = await openLong();
  await reachTop(page, () => wheel(page));
  for (const down of [0, 90_000, 60_000]) {
    await log(page).evaluate((node, by) => node.scrollBy(0, by), down);
    const before = await still(page, () => firstRow(page));
    await page.reload();
    // Rows are hidden while the position is being found.
    await page.locator('[data-seeking=false] article').first().waitFor({ timeout: 120_000 });
    const after = await still(page, () => firstRow(page));
    expect({ down, at: after.at }).toEqual({ down, at: before.at });
    expect(Math.abs(after.cut - before.cut)).toBeLessThanOrEqual(2);
  }
});
