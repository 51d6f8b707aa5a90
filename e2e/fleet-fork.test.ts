// A deleted machine of a fleet, with real Claude: its session is read from the copy and forked to this machine, in a browser.
import { rm } from 'node:fs/promises';
import { closeBrowser, type TestPage } from '@tugdeck/testkit/browser';
import { type NatsServer, whyNoNatsServer } from '@tugdeck/testkit/nats-server';
import { text, toolUse } from '@tugdeck/testkit/script';
import { isFullTier } from '@tugdeck/testkit/tiers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Deck, entries, lastRequest, openDeck, rested, send, toAnother } from './deck.ts';
import { invite, openFleet } from './fleet-world.ts';

describe.skipIf(whyNoNatsServer() !== undefined || !isFullTier)('a deleted machine', () => {
  let worker: Deck;
  let deck: Deck;
  let nats: NatsServer;
  let opened: TestPage;
  beforeAll(async () => {
    worker = await openDeck({ projectName: 'shop' });
    deck = await openDeck({ projectName: 'shop' });
    nats = await openFleet(deck);
    await worker.run(...(await invite(deck, 'worker')));
    opened = await deck.page();
  });
  afterAll(async () => {
    await deck?.close();
    await worker?.close();
    await nats?.close();
    await closeBrowser();
  });

  const offline = (page: Page) => page.getByRole('note').filter({ hasText: 'worker has been offline since' });

  test('N34 a session of a deleted machine is read in the page, and Claude continues it on this one', async () => {
    const before = opened.page;
    const project = before.locator('.project-head', { hasText: 'shop' }).filter({ hasText: 'worker' });
    await project.hover();
    await toAnother(before, () => project.getByRole('button', { name: 'Start a session in shop' }).click());
    worker.fake.script('plan', [
      toolUse('Bash', { command: 'echo 4711' }),
      text('The secret number is 4711.'),
    ]);
    await send(before, 'SCN:plan remember the number');
    await entries(before, 'text', 'complete').getByText('The secret number is 4711.').waitFor();
    await rested(before);

    await worker.run('stop', '--all');
    await offline(before).waitFor();
    await rm(worker.sandbox.data, { recursive: true, force: true });
    await opened.close();
    await deck.killServer();
    await deck.startServer();
    // Without anything that the first one cached.
    const { page } = await deck.page();
    await page.locator('a[data-session]', { hasText: 'remember the number' }).first().click();
    await entries(page, 'text', 'complete').getByText('The secret number is 4711.').waitFor();
    await offline(page).waitFor();

    await page.getByRole('button', { name: 'Fork to another machine' }).click();
    await toAnother(page, () => page.getByRole('menuitem', { name: /^shop.*This machine/ }).click());
    await offline(page).waitFor({ state: 'detached' });
    await page.getByText('conversation-so-far.md').waitFor();
    const box = page.getByRole('textbox', { name: 'Message' });
    await expect.poll(() => box.inputValue()).toMatch(/^Continue “.+” from worker: /);

    // The transcript, and with it the marker of the first message, follows the prompt.
    deck.fake.script('plan', [text('We chose 4711. I continue here.')]);
    await box.press('Enter');
    await entries(page, 'text', 'complete').getByText('We chose 4711. I continue here.').waitFor();
    for (const part of ['remember the number', 'echo 4711', 'The secret number is 4711.'])
      expect(lastRequest(deck.fake)).toContain(part);
  });
});
