// Home and the inbox with twenty machines of fifty sessions each, one that hangs and five that are offline, in a browser.
import { closeBrowser, type TestPage } from '@tugdeck/testkit/browser';
import { type ServedMachine, servedMachine } from '@tugdeck/testkit/served-machine';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Deck, openDeck } from './deck.ts';

const MACHINES = 20;
const ROWS = 50;
const OFFLINE = 5;
const SHOWN = { timeout: 120_000 };

describe.skipIf(!isFullTier)('many machines', () => {
  const served: ServedMachine[] = [];
  let deck: Deck;
  let opened: TestPage;
  beforeAll(async () => {
    const machines: Record<string, { command: string[] }> = { hangs: { command: ['/bin/sleep', '600'] } };
    for (let at = 0; at < MACHINES; at++) {
      const one = await servedMachine(ROWS, { project: `project-${at}`, asking: 1 });
      served.push(one);
      machines[`box${at}`] = { command: one.command };
    }
    deck = await openDeck({ withoutAgent: true, config: { machines } });
    opened = await deck.page();
  });
  afterAll(async () => {
    await deck?.close();
    for (const one of served) one.close();
    await closeBrowser();
  });

  const inbox = () => opened.page.getByRole('button', { name: /^Inbox/ }).first();
  const cards = () => opened.page.getByRole('article').filter({ hasText: 'Run the tests' });

  test('N15 one that hangs delays no other: Home and the inbox list the requests of all', async () => {
    const { page } = opened;
    await expect.poll(() => cards().count(), SHOWN).toBe(MACHINES);
    await expect.poll(() => inbox().getAttribute('aria-label'), SHOWN).toContain(String(MACHINES));
    await expect
      .poll(() => page.locator('.machine-tag[data-state=online]').count(), SHOWN)
      .toBeGreaterThanOrEqual(MACHINES);
  });

  test('N13 five that are lost stay listed as offline, the others work', async () => {
    const { page } = opened;
    for (const one of served.slice(0, OFFLINE)) one.close();
    const offline = (name: string) =>
      page.locator('.machine-tag[data-state=offline]').filter({ hasText: name }).first();
    for (let at = 0; at < OFFLINE; at++) await offline(`box${at}`).waitFor(SHOWN);
    await expect.poll(() => cards().count(), SHOWN).toBe(MACHINES);
    await page.reload();
    await expect.poll(() => cards().count(), SHOWN).toBe(MACHINES);
    for (let at = 0; at < OFFLINE; at++) await offline(`box${at}`).waitFor(SHOWN);
    await inbox().click();
    const items = page.getByRole('group', { name: 'Inbox' }).getByRole('listitem');
    await expect.poll(() => items.count(), SHOWN).toBe(MACHINES);
  });
});
