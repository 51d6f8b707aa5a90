/** Features that only Codex by its own protocol has, through server and browser: one deck, one session, scene after scene. */
import { whyMissing } from '@tugdeck/testkit/agents';
import { closeBrowser, screenshot } from '@tugdeck/testkit/browser';
import { hold, text, toolUse } from '@tugdeck/testkit/script';
import { isFullTier } from '@tugdeck/testkit/tiers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Deck, entries, lastRequest, newSession, openDeck, rested, send, toAnother } from '../deck.ts';

const PATIENCE = { timeout: 60_000 };

describe.skipIf(!isFullTier || whyMissing('codex') !== undefined)('Codex itself', () => {
  let deck: Deck;
  let page: Page;
  const said = (words: string): Promise<void> =>
    entries(page, 'text', 'complete').filter({ hasText: words }).first().waitFor(PATIENCE);
  const choose = async (what: string, label: string): Promise<void> => {
    await page.getByRole('button', { name: new RegExp(`^${what}: `) }).click();
    await page.getByRole('menuitemradio', { name: new RegExp(`^${label}`) }).click();
    await page.getByRole('button', { name: `${what}: ${label}` }).waitFor(PATIENCE);
  };

  beforeAll(async () => {
    // Codex offers the subagent tools to a model that it doesn't know.
    deck = await openDeck({ agent: 'codex', config: { agents: { codex: { model: 'gpt-5.4' } } } });
    ({ page } = await deck.page());
    page.setDefaultTimeout(PATIENCE.timeout);
  });
  afterAll(async () => {
    await deck?.close();
    await closeBrowser();
  });

  test('A25 A50 a message steers the running turn; the text streamed so far is marked as missing from the agent’s context', async () => {
    await send(page, 'SCN:text alpha-one');
    await said('Hello from the scripted model.');
    await rested(page);
    await send(page, 'SCN:hold');
    await deck.fake.reached('mid');
    await entries(page, 'text').getByText('The first half.').waitFor(PATIENCE);
    deck.fake.script('instead', [text('Then this instead.')]);
    await page.getByRole('textbox', { name: 'Message' }).fill('SCN:instead beta-two');
    await page.getByRole('button', { name: 'Steer', exact: true }).click();
    await said('Then this instead.');
    await rested(page);
    expect(lastRequest(deck.fake)).not.toContain('The first half.');
    await entries(page, 'text', 'cancelled').getByText('missing from the agent’s transcript').waitFor();
    await screenshot(page, 'codex-steered');
  });

  test('A6 A50 a fork at a message continues before it, and the model doesn’t get the later messages', async () => {
    await send(page, 'SCN:text gamma-three');
    await rested(page);
    const users = entries(page, 'user');
    await users.last().hover();
    await toAnother(page, () => users.last().getByRole('button', { name: 'Fork from here' }).click());
    await expect.poll(() => users.count(), PATIENCE).toBe(3);
    deck.fake.script('copy', [text('In the copy.')]);
    await send(page, 'SCN:copy');
    await said('In the copy.');
    await rested(page);
    expect(lastRequest(deck.fake)).toContain('beta-two');
    expect(lastRequest(deck.fake)).not.toContain('gamma-three');
  });

  test('A50 in plan mode the plan is drawn, then the previous mode returns', async () => {
    await newSession(page);
    const proposal = '<proposed_plan>\n# The plan of the day\n\n1. Look around\n</proposed_plan>\n';
    deck.fake.script('proposal', [text(`This is how.\n${proposal}`)]);
    await choose('Mode', 'Plan');
    await send(page, 'SCN:proposal');
    await entries(page, 'text').getByRole('heading', { name: 'The plan of the day' }).waitFor(PATIENCE);
    await rested(page);
    await choose('Mode', 'Read-only');
  });

  test('A50 M13 a subagent is one entry, and its messages are inside it', async () => {
    await newSession(page);
    deck.fake.script('parent', [
      toolUse('Agent', { prompt: 'SCN:child look around' }),
      text([hold('after'), 'The subagent works.']),
    ]);
    deck.fake.script('child', [text('I looked around.')]);
    deck.fake.open('after');
    await send(page, 'SCN:parent');
    await said('The subagent works.');
    await rested(page);
    const tool = entries(page, 'tool').filter({ hasText: 'look around' }).first();
    await tool.getByRole('button').first().click();
    await tool.getByText('I looked around.').first().waitFor(PATIENCE);
    await screenshot(page, 'codex-subagent');
  });
});
