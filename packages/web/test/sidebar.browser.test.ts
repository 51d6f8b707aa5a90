/** The sidebar in a real browser (D14, D18), over the gallery. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { shareGallery } from './gallery/share-gallery.ts';

const gallery = shareGallery();
const LOGIN = /Fix the failing login test/;
const LONG = /A very long history/;

const row = (page: Page, name: RegExp) =>
  page.getByRole('navigation', { name: 'Projects' }).getByRole('link', { name });
const card = (page: Page, name: RegExp) => page.getByRole('tabpanel', { name });
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
