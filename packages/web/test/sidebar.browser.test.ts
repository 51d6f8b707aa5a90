/** The sidebar in a real browser (D14, D18), over the gallery. */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { shareGallery } from './gallery/share-gallery.ts';

const gallery = shareGallery();
const LOGIN = /Fix the failing login test/;
const LONG = /A very long history/;

const row = (page: Page, name: RegExp) =>
  page.getByRole('navigation', { name: 'Projects' }).getByRole('link', { name });
const card = (page: Page, name: RegExp) => page.getByRole('tabpanel', { name });
/** From here on, only `clock.runFor` lets time pass. */
const stopClock = async (page: Page) => page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
const headingOf = (menu: Locator) => menu.evaluate((node) => getComputedStyle(node, '::before').content);
/** Titles of the marked rows. */
const marked = (page: Page) => page.locator('.session a[aria-current="page"] .truncate').allInnerTexts();

test('D2 D18 only the session in front is marked, and a click brings it back over another tab', async () => {
  const page = await gallery.open('samples');
  await row(page, LONG).dblclick();
  await card(page, LONG).waitFor();
  await expect.poll(() => marked(page)).toEqual(['A very long history']);
  // The inbox is beside it.
  await page.getByRole('button', { name: 'Inbox' }).click();
  await card(page, /^Inbox/).waitFor();
  await expect.poll(() => marked(page)).toEqual(['A very long history']);
  await page.getByRole('button', { name: 'Settings' }).click();
  await card(page, /^Settings/).waitFor();
  await expect.poll(() => marked(page)).toEqual([]);
  await row(page, LONG).click();
  await card(page, LONG).waitFor();
  await card(page, /^Settings/).waitFor({ state: 'hidden' });
  await expect.poll(() => marked(page)).toEqual(['A very long history']);
  await page.getByRole('button', { name: 'Home', exact: true }).click();
  await page.getByRole('region', { name: 'Home' }).waitFor();
  await expect.poll(() => marked(page)).toEqual([]);
  await row(page, LOGIN).click();
  await expect.poll(() => marked(page)).toEqual(['Fix the failing login test']);
});

test('D2 in the narrow sheet a click on the session of the URL closes the sheet and shows the session', async () => {
  const page = await gallery.open('samples', { width: 700 });
  await page.getByRole('button', { name: 'Settings' }).click();
  await card(page, /^Settings/).waitFor();
  await page.getByRole('button', { name: 'Show projects' }).click();
  await row(page, LOGIN).click();
  await card(page, LOGIN).waitFor();
  await expect.poll(() => page.locator('.shell').getAttribute('data-sheet')).toBe('false');
});

test('D14 the sidebar and Home show the same time of a session', async () => {
  const page = await gallery.open('rest', { isOwn: true, prepare: (own) => own.clock.install() });
  await stopClock(page);
  await page.evaluate(() => {
    const deck = window.fleetDeck();
    const now = Date.now();
    const ages: Record<string, number> = { f3: 309_000, f8: 70_000, f9: 50_000 };
    const sessions = deck.sessions.map((row) => {
      const age = ages[row.id];
      if (age === undefined || !row.summary) return row;
      const at = now - age;
      // Only opened just now.
      return { ...row, activeAt: at, summary: { ...row.summary, turnStartedAt: at, changedAt: now } };
    });
    window.gallery.deck.set({ ...deck, sessions });
  });
  const times = (rows: string) =>
    page.evaluate((selector) => {
      const found = [...document.querySelectorAll(selector)].map((each) => [
        (each.closest('[data-session]') as HTMLElement).dataset.session,
        each.textContent,
      ]);
      return Object.fromEntries(found) as Record<string, string>;
    }, rows);
  await page.clock.runFor(1_000);
  await expect.poll(() => times('.session-time')).toMatchObject({ f3: '5m', f8: '1m', f9: 'now' });
  // Fewer than the sidebar needs to notice, usually.
  await page.clock.runFor(10_000);
  await page.getByRole('button', { name: 'Home', exact: true }).click();
  await page.clock.runFor(1_000);
  await page.getByRole('article').first().waitFor();
  const shown = await times('.board-card .board-time');
  expect(Object.keys(shown)).toEqual(expect.arrayContaining(['f1', 'f3', 'f8', 'f9']));
  expect(await times('.session-time')).toMatchObject(shown);
});

test('D14 D18 the running time of a session changes neither its width nor the title beside it', async () => {
  const page = await gallery.open('rest', { isOwn: true, prepare: (own) => own.clock.install() });
  await stopClock(page);
  await page.evaluate(() => {
    const deck = window.fleetDeck();
    const sessions = deck.sessions.map((row) =>
      row.id === 'f3' && row.summary
        ? { ...row, summary: { ...row.summary, changes: undefined, turnStartedAt: Date.now() - 1_000 } }
        : row,
    );
    window.gallery.deck.set({ ...deck, sessions } as typeof deck);
  });
  const link = page.locator('.session a[data-session="f3"]');
  const width = () => link.locator('.session-two').evaluate((node) => node.getBoundingClientRect().width);
  const time = link.locator('.session-time');
  const widths = new Set<number>();
  for (const [passed, text] of [
    [1_000, /^2s$/],
    [9_000, /^11s$/],
    [50_000, /^1m$/],
    [600_000, /^11m$/],
  ] as const) {
    await page.clock.runFor(passed);
    await expect.poll(() => time.innerText()).toMatch(text);
    widths.add(await width());
  }
  expect([...widths]).toHaveLength(1);
});

test('D18 a hovered row hides its figures as a whole under its menu button', async () => {
  const page = await gallery.open('rest');
  await page.evaluate(() => window.gallery.deck.set(window.fleetDeck()));
  const link = page.locator('.session a[data-session="f7"]');
  const figures = link.locator('.session-changes');
  await expect.poll(() => figures.isVisible()).toBe(true);
  await link.hover();
  await expect.poll(() => figures.isVisible()).toBe(false);
});

test('D18 a right click opens the menu at the pointer, headed by the title of its session', async () => {
  const page = await gallery.open('rest', { height: 1_100 });
  await page.evaluate(() => window.gallery.deck.set(window.fleetDeck()));
  const link = page.locator('.session a[data-session="f8"]');
  const { x, y } = (await link.boundingBox()) ?? { x: 0, y: 0 };
  await link.click({ button: 'right', position: { x: 30, y: 10 } });
  const menu = page.getByRole('menu', { name: 'Actions for Write the changelog' });
  await expect.poll(() => headingOf(menu)).toBe('"Write the changelog"');
  const at = async () => {
    const box = await menu.boundingBox();
    return box && [Math.round(box.x - x - 30), Math.round(box.y - y - 10)];
  };
  await expect.poll(at).toEqual([0, 4]);
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'hidden' });
  // The button still has the menu at its own place.
  await link.hover();
  const button = page.getByRole('button', { name: 'Actions for Write the changelog' });
  const below = (await button.boundingBox()) ?? { x: 0, y: 0, height: 0 };
  await button.click();
  await expect.poll(async () => (await menu.boundingBox())?.x).toBe(below.x);
});

test('D1 the layouts menu has a heading, and undoes a layout change', async () => {
  const page = await gallery.open('rest');
  await page.getByRole('button', { name: 'Layouts' }).click();
  const menu = page.getByRole('menu', { name: 'Layouts' });
  await expect.poll(() => headingOf(menu)).toBe('"Layouts"');
  await menu.getByRole('menuitem', { name: 'Undo layout change' }).waitFor();
});

test('D43 New session shows its keys alike on the button and in the palette', async () => {
  const page = await gallery.open('rest');
  const button = page
    .getByRole('navigation', { name: 'Projects' })
    .getByRole('button', { name: 'New session' });
  await expect.poll(() => button.innerText()).toMatch(/N or Alt\+N$/);
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await palette.getByRole('combobox').fill('>new session');
  const option = palette.getByRole('option', { name: /^New session(?! in|:)/ }).first();
  await expect.poll(() => option.innerText()).toMatch(/N or Alt\+N$/);
});
