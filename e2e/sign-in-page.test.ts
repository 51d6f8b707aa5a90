import { pathToFileURL } from 'node:url';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { writeSignInPage } from '@tugdeck/local/sign-in-page';
import { closeBrowser, launchBrowser } from '@tugdeck/testkit/browser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deck, openDeck } from './deck.ts';

let deck: Deck;
beforeAll(async () => {
  deck = await openDeck({ withoutAgent: true });
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

test('X9 the private page redirects a browser to the sign-in link, without a referrer', async () => {
  const url = (await deck.run('url')).stdout.trim();
  const file = writeSignInPage(dataDirectory(deck.sandbox.data).run, url);
  const context = await (await launchBrowser()).newContext();
  try {
    const page = await context.newPage();
    const asked = page.waitForRequest(url);
    await page.goto(pathToFileURL(file).href, { waitUntil: 'commit' });
    const request = await asked;
    expect((await request.allHeaders()).referer).toBeUndefined();
    await page.waitForURL((at) => at.origin === deck.origin);
  } finally {
    await context.close();
  }
});
