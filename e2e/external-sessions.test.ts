import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeBrowser } from '@tugdeck/testkit/browser';
import { type ClaudeProcess, startClaude } from '@tugdeck/testkit/claude-process';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deck, entries, openDeck, rested, send, toAnother } from './deck.ts';

let deck: Deck;
let page: Page;
let other: ClaudeProcess;
let assertNoProblems: () => void;
beforeAll(async () => {
  deck = await openDeck();
  // As a user at a terminal would: the agent itself, in the same home, without us.
  other = await startClaude(deck.sandbox, deck.fake);
  other.prompt('Please describe the zeppelin SCN:text');
  await other.line(({ type }) => type === 'result', 'the end of the turn');
  ({ page, assertNoProblems } = await deck.page());
});
afterAll(async () => {
  await other?.end();
  await deck?.close();
  await closeBrowser();
});

const sidebar = () => page.getByRole('navigation', { name: 'Projects' });
const foreign = () => sidebar().locator('.session[data-origin="foreign"]');
const composer = () => page.getByRole('textbox', { name: 'Message' });
const answers = () => entries(page, 'text', 'complete');

test('A40 a session in a terminal is listed, read at once, and followed live', async () => {
  await foreign().getByText('Please describe the zeppelin').click();
  await entries(page, 'user').getByText('zeppelin').waitFor();
  await answers().first().waitFor();
  await expect.poll(() => answers().first().innerText()).toContain('This answer is short');
  expect(deck.records('agent').length).toBeLessThanOrEqual(1);
  other.prompt('And once more SCN:text');
  await entries(page, 'user').getByText('And once more').waitFor();
  await answers().nth(1).waitFor();
  await page.getByRole('note').getByText('This session is active in another program').waitFor();
});

test('A40 a session in use by another program isn’t adopted; a fork continues in a copy', async () => {
  await send(page, 'I want it too SCN:text');
  // The note above the composer has the same text: this is the answer to the message.
  await page.getByRole('alert').getByText('Another program is using this session.').waitFor();
  await composer().fill('');
  await toAnother(page, () => page.getByRole('note').getByRole('button', { name: 'Fork' }).click());
  await sidebar().getByText('Please describe the zeppelin SCN:text (fork)').waitFor();
  await entries(page, 'user').getByText('And once more').waitFor();
  await send(page, 'In the copy SCN:text');
  await answers().nth(2).waitFor();
  await rested(page);
});

test('S5 search finds its text and opens the session there', async () => {
  await page.keyboard.press('Control+Shift+F');
  const dialog = page.getByRole('dialog', { name: 'Search' });
  await dialog.getByRole('combobox', { name: 'Search all conversations' }).fill('zeppel');
  const hits = dialog.getByRole('listbox', { name: 'Results' }).getByRole('option');
  await hits.first().waitFor();
  await expect.poll(() => hits.first().locator('mark').first().innerText()).toBe('zeppel');
  await dialog.getByRole('combobox', { name: 'Kind' }).selectOption('prompt');
  await hits.filter({ hasText: 'You' }).first().waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await page.keyboard.press('Control+Shift+F');
  await dialog.getByRole('combobox', { name: 'Search all conversations' }).fill('zeppelin');
  await hits.filter({ hasNotText: 'fork' }).first().waitFor();
  await hits.filter({ hasText: 'You' }).filter({ hasNotText: '(fork)' }).first().click();
  await dialog.waitFor({ state: 'hidden' });
  await page.waitForURL(/#\/session\/[\w-]+\/.+/);
  await entries(page, 'user').getByText('zeppelin').waitFor();
});

test('A40 A42 once the other program has exited, the first message adopts the session, in its own file', async () => {
  await other.end();
  await page.getByRole('note').getByText('Send a message to continue it here.').waitFor();
  await send(page, 'Now it is mine SCN:text');
  await answers().nth(2).waitFor();
  await rested(page);
  await expect.poll(() => page.getByRole('note').count()).toBe(0);
  const folder = join(deck.sandbox.home, '.claude/projects');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.jsonl'),
  );
  // The agent writes its file a little after its output.
  const written = () =>
    files
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .filter((text) => text.includes('Now it is mine'));
  await expect.poll(() => written().length).toBe(1);
  expect(written()[0]).toContain('And once more');
  assertNoProblems();
});
