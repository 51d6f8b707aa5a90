// Requests in a hidden card: the demo agent asks in one session while another is shown.

import { closeBrowser, type TestPage } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
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

test('D7 a request of a hidden session is counted and answered in the inbox, and the session is unread until seen', async () => {
  const { page } = opened;
  await send(page, 'run echo from-the-inbox');
  await page.getByRole('group', { name: /^Permission: / }).waitFor();
  await newSession(page);
  await expect.poll(() => page.title()).toBe('(1) New session – Tugdeck');
  await page.getByRole('button', { name: 'Inbox: 1 session' }).click();
  const inbox = page.getByRole('group', { name: 'Inbox' });
  await inbox.getByText(/Needs you · /).waitFor();
  await pressAnswer(
    inbox.getByRole('group', { name: /^Permission: / }).getByRole('button', { name: 'Allow', exact: true }),
  );
  await expect.poll(() => page.title()).toBe('Inbox – Tugdeck');
  await inbox.getByText(/Done just now/).waitFor();
  await inbox.getByRole('link', { name: /run echo/ }).click();
  await entries(page, 'text', 'complete').last().waitFor();
  await rested(page);
  await page.getByRole('button', { name: 'Inbox', exact: true }).waitFor();
  opened.assertNoProblems();
});
