import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closeBrowser, screenshot } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deck, entries, openDeck, outcomes, rested, send } from './deck.ts';

let deck: Deck;
beforeAll(async () => {
  deck = await openDeck({ withoutAgent: true });
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

test('L7 A30 without any installed agent the demo agent works, and one click starts its tour', async () => {
  const { page, assertNoProblems } = await deck.page();
  await page.getByRole('button', { name: /Take the tour/ }).click();
  const box = page.getByRole('textbox', { name: 'Message' });
  await expect.poll(() => box.inputValue()).not.toBe('');
  await screenshot(page, 'demo-first');
  await box.press('Enter');
  const request = page.getByRole('group', { name: /^Permission: / });
  await request.getByText('Notes from the demo agent').first().waitFor();
  await pressAnswer(request.getByRole('button', { name: 'Allow', exact: true }));
  await outcomes(page).first().waitFor();
  await request.waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await rested(page);
  expect(await readFile(join(deck.sandbox.project, 'tugdeck-demo.md'), 'utf8')).toContain('demo agent');
  await send(page, 'ask');
  await page
    .getByRole('form', { name: 'Question' })
    .or(page.getByRole('group', { name: /^Permission: / }))
    .first()
    .waitFor();
  await screenshot(page, 'demo-ask');
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await rested(page);
  await expect.poll(() => entries(page, 'tool', 'partial').count()).toBe(0);
  assertNoProblems();
});
