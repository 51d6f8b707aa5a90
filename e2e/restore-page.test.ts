/** Restoring on the page, with the real agent: preview, restore, what the model gets next, undo (T11–T25). */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeBrowser, screenshot } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { text, toolUse } from '@tugdeck/testkit/script';
import { isFullTier } from '@tugdeck/testkit/tiers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deck, entries, lastRequest, openDeck, rested, send } from './deck.ts';

let deck: Deck;
const inProject = (name: string) => join(deck.sandbox.project, name);
const restoreLine = (page: Page) => page.getByRole('article', { name: 'Restore' });
const box = (page: Page) => page.getByRole('textbox', { name: 'Message' });

beforeAll(async () => {
  deck = await openDeck();
  for (const word of ['alpha', 'delta', 'echo']) deck.fake.script(word, [text(`answer-${word}.`)]);
  deck.fake.script('make', ({ cwd }) => [
    [toolUse('Write', { file_path: join(cwd, 'made.md'), content: 'made by the agent\n' })],
    text('answer-make.'),
  ]);
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

async function sendPrompt(page: Page, word: string): Promise<void> {
  await send(page, `SCN:${word} say-${word}`);
  if (word === 'make') {
    const permission = page.getByRole('group', { name: /^Permission: / });
    await pressAnswer(permission.first().getByRole('button', { name: 'Allow', exact: true }));
  }
  await entries(page, 'text', 'complete')
    .filter({ hasText: `answer-${word}.` })
    .last()
    .waitFor();
  await rested(page);
}

/** Words of prompts in the last request to the model. */
const remembered = () => [
  ...new Set([...lastRequest(deck.fake).matchAll(/say-(\w+)/g)].map(([, word]) => word)),
];

/** Opens the timeline and compares two points, both in the past (T34, T35). */
async function compareInTimeline(page: Page): Promise<void> {
  await page.keyboard.press('Alt+Shift+N');
  await page.getByRole('dialog', { name: 'New tab' }).waitFor();
  await page.keyboard.press('l');
  const timeline = page.getByRole('group', { name: 'Timeline' });
  const make = timeline.getByRole('listitem').filter({ hasText: 'say-make' });
  await make.getByText('1 file +1').waitFor();
  await make.getByRole('button', { name: 'Try another way' }).waitFor();
  await timeline.getByRole('listitem').filter({ hasText: 'Restore undone' }).waitFor();
  const setAside = timeline.getByRole('listitem').filter({ hasText: 'say-delta' });
  await setAside.getByText('Hidden by a restore').waitFor();
  const point = async (name: string, message: string) => {
    const select = timeline.getByRole('combobox', { name });
    const label = await select.locator('option').filter({ hasText: message }).textContent();
    await select.selectOption({ label: label ?? '' });
  };
  await point('First point', 'say-make');
  await point('Second point', 'say-echo');
  await timeline.getByRole('button', { name: 'Compare', exact: true }).click();
  const changes = page.getByRole('group', { name: 'Review' });
  await changes.getByRole('button', { name: 'Compare: Before turn 2 to before turn 4' }).waitFor();
  await changes.getByRole('region', { name: 'made.md' }).waitFor();
  // One file of the difference is applied to the current files, and undone.
  await changes.getByRole('button', { name: 'Revert made.md' }).click();
  await waitFor(() => !existsSync(inProject('made.md')), { what: 'the file to go' });
  await changes.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await waitFor(() => existsSync(inProject('made.md')), { what: 'the file to return' });
}

test('T11 T16 T22 T23 T24 T34 T35 restores files and conversation from the page; the model gets the earlier messages; undo; timeline', async () => {
  const { page, assertNoProblems } = await deck.page();
  await sendPrompt(page, 'alpha');
  await sendPrompt(page, 'make');
  writeFileSync(inProject('mine.txt'), 'typed by the user\n');
  const message = entries(page, 'user').last();
  await message.hover();
  await message.getByRole('button', { name: 'Restore to here' }).click();
  const dialog = page.getByRole('dialog', { name: 'Restore to here' });
  await dialog.getByText('remembers everything before this message and nothing after it.').waitFor();
  const cancel = dialog.getByRole('button', { name: 'Cancel' });
  const isFocused = () => cancel.evaluate((one) => one === one.ownerDocument.activeElement);
  await expect.poll(isFocused).toBe(true);
  await dialog.getByRole('button', { name: 'made.md' }).click();
  await dialog.getByText('-made by the agent').waitFor();
  await screenshot(page, 'restore-preview');
  await pressAnswer(dialog.getByRole('button', { name: 'Restore', exact: true }));
  await restoreLine(page).getByText('Restored 1 file · 2 messages hidden').waitFor();
  expect(existsSync(inProject('made.md'))).toBe(false);
  expect(existsSync(inProject('mine.txt'))).toBe(true);
  await expect.poll(() => box(page).inputValue()).toBe('SCN:make say-make');
  await screenshot(page, 'restore-after');
  await expect.poll(() => entries(page, 'user').count()).toBe(1);
  await restoreLine(page).getByRole('button', { name: 'Show' }).click();
  await expect.poll(() => entries(page, 'user').count()).toBe(2);
  await restoreLine(page).getByRole('button', { name: 'Hide' }).click();
  await sendPrompt(page, 'delta');
  expect(remembered()).toEqual(['alpha', 'delta']);
  await restoreLine(page).getByRole('button', { name: 'Undo' }).click();
  await restoreLine(page).getByText('Restore undone').waitFor();
  await waitFor(() => existsSync(inProject('made.md')), { what: 'the file to return' });
  await entries(page, 'user').filter({ hasText: 'say-make' }).waitFor();
  await sendPrompt(page, 'echo');
  expect(remembered()).toEqual(['alpha', 'make', 'echo']);
  if (isFullTier) await compareInTimeline(page);
  assertNoProblems();
});
