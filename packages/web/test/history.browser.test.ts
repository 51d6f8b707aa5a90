/**
 * Long histories with wheel and touch, over the gallery: older pages load by themselves, and a reload keeps the
 * position.
 */
import { frames, still } from '@tugdeck/testkit/frames';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { shareGallery } from './gallery/share-gallery.ts';

const ENTRIES = 3_000;
/** The top is many screens away: needing more steps than this means scrolling has stopped. */
const MOST_TURNS = 400;
const testFull = test.skipIf(process.env.TUGDECK_TEST_FULL !== '1');
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

/** The first visible row, and how far it is cut at the top. */
const firstRow = (page: Page) =>
  log(page).evaluate((node) => {
    const edge = node.getBoundingClientRect().top;
    const rows = [...node.querySelectorAll<HTMLElement>('article')];
    const first = rows.find((row) => row.getBoundingClientRect().bottom > edge);
    const box = first?.getBoundingClientRect();
    return { at: Number(first?.dataset.entryId?.slice(1)), cut: Math.round(edge - (box?.top ?? 0)) };
  });
const isAtTop = async (page: Page) => {
  const { at } = await firstRow(page);
  return at === 0 && (await log(page).evaluate((node) => node.scrollTop)) <= 12;
};

async function reachTop(page: Page, turn: () => Promise<unknown>): Promise<void> {
  for (let turns = 0; turns < MOST_TURNS; turns += 1) {
    if (await isAtTop(page)) return;
    await turn();
    await frames(page, 2);
  }
  expect((await firstRow(page)).at).toBe(0);
}

/** Swipes from the top to the bottom of the list. */
async function swipe(page: Page): Promise<void> {
  const link = await page.context().newCDPSession(page);
  const box = await log(page).boundingBox();
  const x = (box?.x ?? 0) + (box?.width ?? 0) / 2;
  const from = (box?.y ?? 0) + 20;
  const to = from + (box?.height ?? 0) - 40;
  await link.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y: from }] });
  for (const part of [0.1, 0.4, 0.7, 1]) {
    const y = from + (to - from) * part;
    await link.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x, y }] });
  }
  await link.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await link.detach();
}

const wheel = (page: Page) => page.mouse.wheel(0, -20_000);

const HANDS: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  'a finger': swipe,
  'the Home key': (page) => log(page).press('Home'),
  'the scrollbar': (page) => log(page).evaluate((node) => node.scrollTo(0, 0)),
};

for (const [hand, turn] of Object.entries(HANDS))
  testFull(`C11 ${ENTRIES} entries: ${hand} reaches the top without stopping at a page`, async () => {
    const page = await openLong();
    await page.setViewportSize({ width: 1280, height: 2_400 });
    await wheel(page);
    await reachTop(page, () => turn(page));
  });

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
    await log(page).locator('article').first().waitFor();
    await expect.poll(() => log(page).getAttribute('data-seeking')).toBe('false');
    const after = await still(page, () => firstRow(page));
    expect({ down, at: after.at }).toEqual({ down, at: before.at });
    expect(Math.abs(after.cut - before.cut)).toBeLessThanOrEqual(2);
  }
});
