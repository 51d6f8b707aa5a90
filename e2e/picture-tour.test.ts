/** A picture of every screen, dark and light, at 1440 and 390 pixels, in `screens/tour-*`: TUGDECK_SCREENS=1, and TUGDECK_TOUR=pattern for some. */
import { closeBrowser, screenshot, type TestPage } from '@tugdeck/testkit/browser';
import { frames } from '@tugdeck/testkit/frames';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDeck } from './deck.ts';
import { SCENES, type Scene, type View } from './picture-scenes.ts';
import { openPictureWorld, type PictureWorld } from './picture-world.ts';

const isWanted = process.env.TUGDECK_SCREENS === '1';
const pattern = new RegExp(process.env.TUGDECK_TOUR ?? '.');
const WIDE = 2560;

let world: PictureWorld;
let desktop: TestPage;
let phone: TestPage;
beforeAll(async () => {
  if (!isWanted) return;
  world = await openPictureWorld();
  desktop = await world.deck.page({ width: 1440, height: 900 });
  phone = await world.deck.page({ width: 390, height: 844, isPhone: true });
  for (const { page } of [desktop, phone]) page.setDefaultTimeout(12_000);
}, 400_000);
afterAll(async () => {
  await world?.close();
  await closeBrowser();
});

async function still(page: Page): Promise<void> {
  await frames(page);
  await page.evaluate(async () => {
    const running = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(running.map(({ finished }) => finished));
    await document.fonts.ready;
  });
  await frames(page);
}

async function shoot(page: Page, name: string, scene: Scene): Promise<void> {
  const isPhone = page === phone.page;
  for (const theme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await still(page);
    await screenshot(page, `tour-${name}-${isPhone ? '390' : '1440'}-${theme}`);
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  if (!scene.isWide || isPhone) return;
  await page.setViewportSize({ width: WIDE, height: 1440 });
  await still(page);
  await screenshot(page, `tour-${name}-${WIDE}-dark`);
  await page.setViewportSize({ width: 1440, height: 900 });
}

const faults: string[] = [];
for (const [name, scene] of Object.entries(SCENES)) {
  if (!isWanted || !pattern.test(name)) continue;
  test(`a picture of ${name}`, async () => {
    for (const { page } of scene.isDesktop ? [desktop] : [desktop, phone]) {
      const isPhone = page === phone.page;
      const view: View = { page, isPhone, world };
      try {
        if (!scene.isHere && !scene.isPlain) {
          await page.goto(`${world.deck.origin}/#/home`);
          await page.reload();
          await page.getByRole('region', { name: 'Home' }).waitFor();
        }
        await scene.show(view);
      } catch (error) {
        faults.push(`${name} ${isPhone ? 'phone' : 'desktop'}: ${String(error).slice(0, 600)}`);
      }
      await shoot(page, name, scene);
      await scene.leave?.(view).catch(() => undefined);
    }
  }, 120_000);
}
test.runIf(isWanted)('every scene could be shown', () => {
  expect(faults).toEqual([]);
});

test.runIf(isWanted && pattern.test('first-run'))(
  'a picture of the first run',
  async () => {
    const deck = await openDeck({ withoutAgent: true, projectName: 'orchard' });
    try {
      for (const [width, height] of [
        [1440, 900],
        [390, 844],
      ] as const) {
        const { page, close } = await deck.page({ width, height, isPhone: width === 390 });
        await page.goto(`${deck.origin}/#/home`);
        await page.reload();
        await page.getByRole('button', { name: /Start the tour|Choose a folder/ }).waitFor();
        for (const theme of ['dark', 'light'] as const) {
          await page.emulateMedia({ colorScheme: theme });
          await still(page);
          await screenshot(page, `tour-first-run-${width}-${theme}`);
        }
        await close();
      }
    } finally {
      await deck.close();
    }
  },
  120_000,
);
