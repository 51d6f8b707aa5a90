/** The click delay (C6) for fingers, pinching, dragging and keys, in a real browser with a touch screen. */
import { atRest } from '@tugdeck/testkit/frames';
import type { CDPSession, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { shareGallery } from './gallery/share-gallery.ts';

const gallery = shareGallery();
const PHONE = { isOwn: true, isPhone: true, width: 390, height: 844 } as const;

/** The page's clock only advances with `runFor`, so that the load of the machine does not matter. */
async function open(options: object): Promise<Page> {
  const page = await gallery.open('rest', { isOwn: true, ...options });
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  return page;
}

const KINDS = ['permission', 'plan', 'form', 'question'] as const;
/** The button that answers, for each kind of request. */
const ANSWER = { permission: 'Allow', plan: 'Approve', form: 'Decline', question: 'Submit' } as const;

async function ask(page: Page, kind: (typeof KINDS)[number], id: string = kind): Promise<void> {
  await page.evaluate(
    ([which, name]) => {
      const entry =
        which === 'permission' ? window.samples.permission(name, 'Run it') : window.samples[which]();
      window.gallery.host('rest').emit({ kind: 'entry.opened', entry: { ...entry, id: name } });
    },
    [kind, id] as const,
  );
  await page.clock.runFor(50);
  await page.locator(`[data-request=${id}]`).waitFor();
}
const button = (page: Page, name: string, id?: string) =>
  page
    .locator(id === undefined ? '[data-request]' : `[data-request=${id}]`)
    .last()
    .getByRole('button', { name, exact: true });
async function middleOf(page: Page, name: string, id?: string) {
  await atRest(button(page, name, id));
  const box = await button(page, name, id).boundingBox();
  if (!box) throw new Error('the button is not drawn');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
const answered = (page: Page) =>
  page.evaluate(() =>
    window.gallery
      .host('rest')
      .sent.flatMap((command) => (command.kind === 'request.answer' ? [command.entry] : [])),
  );
async function expectRefused(page: Page, reason: string): Promise<void> {
  const outcome = async () => {
    const sent = await answered(page);
    if (sent.length > 0) return `answered ${sent.join(', ')}`;
    return (await page.locator('.answer-note').allTextContents()).join(' ');
  };
  await expect.poll(outcome).toMatch(/^answered|Not answered yet/);
  expect(await outcome()).toContain(reason);
}
const link = (page: Page): Promise<CDPSession> => page.context().newCDPSession(page);
type Point = { readonly x: number; readonly y: number };
const touch = (cdp: CDPSession, type: 'touchStart' | 'touchEnd', ...touchPoints: Point[]) =>
  cdp.send('Input.dispatchTouchEvent', {
    type,
    touchPoints: touchPoints.map((point, id) => ({ ...point, id })),
  });

test.each(KINDS)('C24 a tap on a %s that has just appeared does not answer it', async (kind) => {
  const page = await open(PHONE);
  await ask(page, kind);
  if (kind === 'question')
    for (const name of ['Keep it', 'Documentation'])
      await page.getByLabel(name).evaluate((node: HTMLElement) => node.click());
  const { x, y } = await middleOf(page, ANSWER[kind]);
  await page.touchscreen.tap(x, y);
  await expectRefused(page, 'Not answered yet');
  await page.clock.runFor(1_000);
  const again = await middleOf(page, ANSWER[kind]);
  await page.touchscreen.tap(again.x, again.y);
  await expect.poll(() => answered(page)).toEqual([kind]);
});

test('C24 the second tap of a double tap that began beside a request does not answer it', async () => {
  const page = await open(PHONE);
  await ask(page, 'permission');
  await page.clock.runFor(1_000);
  const { x, y } = await middleOf(page, 'Allow');
  await page.evaluate(
    ([left, top]) => {
      const cover = document.createElement('button');
      cover.style.cssText = `position:fixed;left:${left}px;top:${top}px;width:40px;height:40px;z-index:99`;
      cover.addEventListener('click', () => cover.remove());
      document.body.append(cover);
    },
    [x - 20, y - 80] as const,
  );
  await page.touchscreen.tap(x, y - 60);
  await page.clock.runFor(200);
  await page.touchscreen.tap(x, y);
  await expectRefused(page, 'began on something else');
  await page.clock.runFor(500);
  await page.touchscreen.tap(x, y);
  await expect.poll(() => answered(page)).toEqual(['permission']);
});

test('C24 two fingers, one of them early on Allow, do not answer', async () => {
  const page = await open(PHONE);
  await ask(page, 'permission');
  const at = await middleOf(page, 'Allow');
  const cdp = await link(page);
  await touch(cdp, 'touchStart', at);
  await page.clock.runFor(1_000);
  await touch(cdp, 'touchStart', at, { x: 200, y: 100 });
  await touch(cdp, 'touchEnd', { x: 200, y: 100 });
  await touch(cdp, 'touchEnd');
  await page.clock.runFor(50);
  expect(await answered(page)).toEqual([]);
  await page.clock.runFor(500);
  await page.touchscreen.tap(at.x, at.y);
  await expect.poll(() => answered(page)).toEqual(['permission']);
});

test('C24 a tap right after pinching does not answer', async () => {
  const page = await open(PHONE);
  await ask(page, 'permission');
  await page.clock.runFor(1_000);
  const at = await middleOf(page, 'Allow');
  const cdp = await link(page);
  const scale = () => page.evaluate(() => window.visualViewport?.scale ?? 1);
  // The effect of a pinch, without the time that its fingers take.
  await cdp.send('Emulation.setPageScaleFactor', { pageScaleFactor: 1.03 });
  await expect.poll(scale).toBeGreaterThan(1.02);
  // The finger stays where it was between the two; taps are in coordinates of the screen.
  const onScreen = await page.evaluate(({ x, y }) => {
    const { offsetLeft = 0, offsetTop = 0, scale: by = 1 } = window.visualViewport ?? {};
    return { x: (x - offsetLeft) * by, y: (y - offsetTop) * by };
  }, at);
  await touch(cdp, 'touchStart', onScreen);
  await touch(cdp, 'touchEnd');
  await expectRefused(page, 'This just moved.');
  await page.clock.runFor(500);
  await touch(cdp, 'touchStart', onScreen);
  await touch(cdp, 'touchEnd');
  await expect.poll(() => answered(page)).toEqual(['permission']);
});

test('C24 a drag that began on Allow before its request changed does not answer', async () => {
  const page = await open({ height: 1200 });
  await ask(page, 'permission');
  await page.clock.runFor(1_000);
  const { x, y } = await middleOf(page, 'Allow');
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 200, y - 100);
  await page.evaluate(() => {
    const host = window.gallery.host('rest');
    const entry = host.channel().entry('permission').get();
    if (entry?.kind !== 'permission') throw new Error('nothing was asked');
    const request = { ...entry.request, shown: 'another', input: { command: 'rm -rf ~' } };
    host.emit({ kind: 'entry.restated', entry: { ...entry, request } });
  });
  await page.clock.runFor(1_000);
  const now = await middleOf(page, 'Allow');
  await page.mouse.move(now.x, now.y);
  await page.mouse.up();
  await expectRefused(page, 'This just appeared.');
});

test('C24 Tab into a request and Enter at once do not answer; held Enter never does', async () => {
  const page = await open({ height: 1200 });
  await ask(page, 'permission');
  await page.clock.runFor(1_000);
  await page.getByRole('log').evaluate((node: HTMLElement) => node.focus());
  const isOnAllow = () => page.evaluate(() => document.activeElement?.textContent?.startsWith('Allow'));
  for (let at = 0; at < 40 && !(await isOnAllow()); at++) await page.keyboard.press('Tab');
  expect(await isOnAllow()).toBe(true);
  await page.keyboard.down('Enter');
  await page.clock.runFor(600);
  // Auto-repeat of the same press.
  await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await expectRefused(page, 'That key was held down.');
  await page.keyboard.press('Enter');
  await expect.poll(() => answered(page)).toEqual(['permission']);
});
