// Projects and sessions in the sidebar: order, names, delete and restore, several at once, the folder browser.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { closeBrowser, type TestPage } from '@tugdeck/testkit/browser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deck, entries, newSession, openDeck, rested, send } from './deck.ts';

let deck: Deck;
let opened: TestPage;

beforeAll(async () => {
  deck = await openDeck({ withoutAgent: true });
  opened = await deck.page();
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

const list = () => opened.page.getByRole('navigation', { name: 'Projects' });
const menu = async (within: ReturnType<typeof list>, name: string, choice: string) => {
  const { page } = opened;
  await within.hover();
  await within.getByRole('button', { name }).click();
  await page.getByRole('menuitem', { name: choice }).click();
};

test('S5 a session is deleted, restored, and found in the palette while deleted', async () => {
  const { page } = opened;
  await send(page, 'think of nothing');
  await entries(page, 'text', 'complete').first().waitFor();
  await rested(page);
  await newSession(page);
  await send(page, 'think of something');
  await entries(page, 'text', 'complete').first().waitFor();
  await rested(page);
  const row = list().getByRole('listitem').filter({ hasText: 'think of nothing' });
  await menu(row, 'Actions for think of nothing', 'Delete');
  await row.waitFor({ state: 'detached' });
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await row.waitFor();
  await menu(row, 'Actions for think of nothing', 'Delete');
  await row.waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('of nothing');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await palette.getByRole('option', { selected: true }).filter({ hasText: 'Trash' }).waitFor();
  await expect.poll(() => palette.getByRole('combobox').inputValue()).toBe('of nothing');
  await page.keyboard.press('Enter');
  await row.waitFor();
});

test('S5 several sessions are chosen and archived together', async () => {
  const { page } = opened;
  const row = (text: string) => list().getByRole('listitem').filter({ hasText: text });
  await row('of nothing')
    .getByRole('link')
    .click({ modifiers: ['Control'] });
  await row('of something')
    .getByRole('link')
    .click({ modifiers: ['Control'] });
  const bar = list().getByRole('toolbar', { name: 'Selected sessions' });
  await bar.getByText('2 selected').waitFor();
  await bar.getByRole('button', { name: 'Archive' }).click();
  await row('of nothing').waitFor({ state: 'detached' });
  await page.getByText('2 sessions archived').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await row('of something').waitFor();
});

test('S4 a project is chosen among folders, renamed and moved; another page sees the same', async () => {
  const { page } = opened;
  const base = join(deck.sandbox.project, '..', 'others');
  await mkdir(join(base, 'second'), { recursive: true });
  await list().getByRole('button', { name: 'Add project' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add project' });
  await dialog.getByRole('textbox', { name: 'Path' }).fill(base);
  await dialog.getByRole('button', { name: 'second' }).click();
  await expect.poll(() => dialog.getByRole('textbox', { name: 'Path' }).inputValue()).toMatch(/second$/);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  const names = () => list().locator('.project-name').allInnerTexts();
  await expect.poll(names).toEqual(['p', 'second']);
  const second = list().locator('.project-head').filter({ hasText: 'second' });
  await menu(second, 'Actions for second', 'Move up');
  await expect.poll(names).toEqual(['second', 'p']);
  await menu(second, 'Actions for second', 'Rename');
  await list().getByRole('textbox', { name: 'Name' }).fill('Renamed');
  await page.keyboard.press('Enter');
  await expect.poll(names).toEqual(['Renamed', 'p']);
  const other = await deck.page();
  const theirs = other.page.getByRole('navigation', { name: 'Projects' }).locator('.project-name');
  await expect.poll(() => theirs.allInnerTexts()).toEqual(['Renamed', 'p']);
  await other.close();
  opened.assertNoProblems();
});
