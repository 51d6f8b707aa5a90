/**
 * An external session, through server and browser: made by another deck in the same home, listed, read and continued.
 * Registered by agents.test.ts.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findAgent } from '@tugdeck/agents/catalog';
import type { RealAgent } from '@tugdeck/testkit/agents';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { shortAnswer } from '@tugdeck/testkit/scenarios';
import { afterAll, expect, test } from 'vitest';
import { type Deck, entries, openDeck, rested, send } from '../deck.ts';

const PATIENCE = { timeout: 90_000 };

export function listedScenes(agent: RealAgent): void {
  let deck: Deck | undefined;
  afterAll(() => deck?.close());

  // Skipped where resuming would lose the session.
  const isSafe = !findAgent(agent)?.unsafeCalls?.includes('session/load');
  test.skipIf(!isSafe)('A40 A20 a session made by another deck is listed, read and continued', async () => {
    const here = await openDeck({ agent });
    deck = here;
    const before = await here.page();
    before.page.setDefaultTimeout(PATIENCE.timeout);
    await send(before.page, 'SCN:bash the first words');
    const request = before.page.getByRole('group', { name: /^Permission: / });
    await pressAnswer(request.getByRole('button', { name: 'Allow', exact: true }));
    await entries(before.page, 'text', 'complete').getByText('The file is made.').waitFor();
    await rested(before.page);
    await before.close();
    await here.run('stop', '--all');

    // Another deck: the same machine, home and agent, but an empty data directory.
    for (const name of readdirSync(here.sandbox.data)) {
      if (name !== 'config.json') rmSync(join(here.sandbox.data, name), { recursive: true });
    }
    await here.startServer();
    const { page } = await here.page();
    page.setDefaultTimeout(PATIENCE.timeout);
    const row = page
      .getByRole('navigation', { name: 'Projects' })
      .getByRole('link', { name: /Scripted|the first words/ });
    // Some agents list their sessions only while they run, and they start at the first keystroke (D43).
    const box = page.getByRole('textbox', { name: 'Message' });
    await box.pressSequentially('x');
    await row.first().waitFor();
    await box.fill('');
    await row.first().click();
    // A file that was just written may still be in use by another program.
    await page.getByRole('note').filter({ hasText: 'to continue it here' }).waitFor();
    await send(page, 'SCN:text');
    await entries(page, 'text', 'complete')
      .filter({ hasText: shortAnswer.replaceAll('*', '') })
      .waitFor();
    await rested(page);
    await expect.poll(() => entries(page, 'user').filter({ hasText: 'the first words' }).count()).toBe(1);
    await expect.poll(() => entries(page, 'text').filter({ hasText: 'The file is made.' }).count()).toBe(1);
    const call = await here.fake.called({ kind: 'answer', keyword: 'text' });
    expect(JSON.stringify(call.body)).toContain('the first words');
  });
}
